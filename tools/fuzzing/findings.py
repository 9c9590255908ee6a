"""What a fuzzer found: a signature by which equal faults are one, and a folder to repeat it."""

from __future__ import annotations

import re
import shutil
import traceback
from dataclasses import dataclass, field
from pathlib import Path

KEPT = 3  # reproducers of one signature


class WrongAnswerError(Exception):
    """An answer that is wrong, or an error that is not told in the proper way: the first line says
    what, others give details."""


class WrongAnswersError(Exception):
    """Several of them, a line for each."""


@dataclass(frozen=True)
class Finding:
    """A fault: what kind of input showed it, the number of the input, and what was seen."""

    kind: str
    number: int
    signature: str
    report: str


def findings_of(kind: str, number: int, error: BaseException) -> list[Finding]:
    """The findings that an exception tells of; where it arose counts, not what it says of the
    input."""
    report = "".join(traceback.format_exception(error))
    if isinstance(error, (WrongAnswerError, WrongAnswersError)):
        lines = str(error).splitlines()
        told = lines[:1] if isinstance(error, WrongAnswerError) else lines
        distinct = dict.fromkeys(_without_details(line) for line in told)
        return [Finding(kind, number, words, report) for words in distinct]
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if "/beeline/" in frame.filename] or list(frames)
    place = f"{Path(inside[-1].filename).name}:{inside[-1].name}" if inside else "nowhere"
    words = _without_details(str(error))[:80]
    return [Finding(kind, number, f"{type(error).__name__} at {place}: {words}", report)]


def _without_details(words: str) -> str:
    """Words by which faults of one cause are alike: no numbers, no quoted names."""
    words = re.sub(r"\[[^\]]*\]|'[^']*'|\([^()]*\)", "..", words.split(", but")[0])
    return " ".join(re.sub(r"-?\d+", "N", words).split())[:120]


@dataclass
class FindingFolder:
    """Where reproducers are written, and how often each fault was seen."""

    folder: Path
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, finding: Finding, files: dict[str, bytes], command: str) -> Path | None:
        """Count a finding; the first few of its signature get a folder each, which is returned."""
        key = f"{finding.kind}: {finding.signature}"
        self.counts[key] = self.counts.get(key, 0) + 1
        if self.counts[key] > KEPT:
            return None
        words = re.sub(r"[^a-z0-9]+", "-", finding.signature.lower()).strip("-")[:50]
        target = self.folder / f"{finding.kind}-{finding.number}-{words}"
        shutil.rmtree(target, ignore_errors=True)
        for name, content in files.items():
            path = target / "input" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        target.mkdir(parents=True, exist_ok=True)
        (target / "report.txt").write_text(
            f"{key}\nrepeat with: {command}\n\n{finding.report}\n", errors="backslashreplace"
        )
        return target
