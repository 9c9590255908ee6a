"""The manifest: what a dataset is made of, so that nothing else is ever mixed with it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, fields
from functools import cached_property
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from beeline.core.errors import BeelineError
from beeline.core.files import read_text, write_atomically
from beeline.data.schema import KINDS, PLANS

if TYPE_CHECKING:
    from pathlib import Path

FORMAT_VERSION = 1
FILE_NAME = "manifest.json"
MOST_SHARDS = 1000
_KINDS: dict[str, type] = {  # of values, by the names of fields
    **dict.fromkeys(("package_version", "domain_text"), str),
    **dict.fromkeys(("config", "domain", "counts", "digests"), dict),
    **dict.fromkeys(("seed", "shards"), int),
    "splits": list,
}


@dataclass(frozen=True)
class Manifest:
    """Everything that determines the rows of a dataset, and how many there are.

    `config` holds every setting, `domain` the signature of the planning domain. `counts` and
    `digests`, the SHA-256 of each shard's files, are empty until all shards are there. Nothing
    here depends on time, machine or number of processes: equal runs write equal manifests.

    >>> Manifest("0.1.0", {"sampler": "plans"}, 7, {"name": "ferry"}, "", 3).complete
    False
    """

    package_version: str
    config: dict[str, Any]
    seed: int
    domain: dict[str, Any]
    domain_text: str
    shards: int
    splits: list[str] = field(default_factory=list)
    counts: dict[str, Any] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    format_version: int = FORMAT_VERSION

    @property
    def kind(self) -> str:
        """The sampler that made the dataset, which decides on its columns."""
        return str(self.config.get("sampler", PLANS))

    @property
    def orders(self) -> int:
        """How many orders of the steps of a plan were asked for."""
        return int(self.config.get("orders", 1))

    @property
    def complete(self) -> bool:
        """Whether all shards have been written."""
        return bool(self.counts)

    @cached_property
    def identity(self) -> str:
        """A digest of all that was known before the first shard, the same in every process."""
        results = ("counts", "digests")
        parts = {name: value for name, value in self.to_json().items() if name not in results}
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def to_json(self) -> dict[str, Any]:
        """The fields as plain values."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def write(self, folder: Path) -> None:
        """Write the manifest, whole or not at all."""
        write_atomically(folder / FILE_NAME, json.dumps(self.to_json(), indent=1) + "\n")

    def difference(self, wanted: Manifest) -> str | None:
        """What another manifest would have otherwise, in words; None if they mean the same."""
        here, there = self.to_json(), wanted.to_json()
        for name in ("format_version", "package_version", "domain", "domain_text", "seed"):
            if here[name] != there[name]:
                what = name.replace("_", " ")
                if name in ("domain", "domain_text"):
                    return f"its domain is '{self.domain.get('name')}', with other definitions"
                return f"its {what} is {here[name]}, not {there[name]}"
        for key in sorted({**self.config, **wanted.config}):
            mine, other = self.config.get(key), wanted.config.get(key)
            if mine != other:
                return f"its '{key}' is {_shown(mine)}, not {_shown(other)}"
        return None if self.identity == wanted.identity else "its list of instances is another one"


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a dataset, checked."""
    path = folder / FILE_NAME
    if not folder.is_dir():
        raise BeelineError("no such dataset directory", str(folder), hint="check the path")
    if not path.is_file():
        raise BeelineError(
            f"not a dataset: there is no {FILE_NAME}",
            str(folder),
            hint="'beeline data plans ... -o DIR' makes one",
        )
    try:
        content = json.loads(read_text(path, "manifest"))
        version = content.get("format_version")
    except (ValueError, AttributeError) as error:
        raise _broken(path, str(error)) from None
    if version != FORMAT_VERSION:
        raise BeelineError(
            f"the dataset has format version {version}, and this program reads {FORMAT_VERSION}",
            str(path),
            hint="make it again, or use the version of beeline that made it",
        )
    try:
        manifest = Manifest(**content)
        for name, kind in _KINDS.items():
            if type(getattr(manifest, name)) is not kind:
                raise ValueError(f"'{name}' has an odd value")
        if not 1 <= manifest.shards <= MOST_SHARDS or manifest.orders < 1:
            raise ValueError("fields have odd values")
        if manifest.kind not in KINDS:
            raise ValueError(f"the sampler '{manifest.kind[:40]}' is unknown")
        return manifest
    except (TypeError, ValueError) as error:
        raise _broken(path, str(error)) from None


def _broken(path: Path, reason: str) -> BeelineError:
    return BeelineError(
        f"the manifest is broken: {reason[:150]}", str(path), hint="make the dataset again"
    )


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
