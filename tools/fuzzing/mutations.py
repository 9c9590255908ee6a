"""Small damages to texts, bytes and JSON values; the same random numbers give the same damage."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

NUMBERS = (
    *("0", "1", "-1", "2", "7", "255", "256", "65536", "2147483647", "2147483648", "4294967296"),
    *("9007199254740991", "9007199254740992", "9223372036854775807", "18446744073709551616"),
    *("1e3", "1e308", "1e999", "nan", "inf", "-inf", "0.5", "3.0", "-0", "00", "1_000", "0x10"),
    *("9" * 400, "0." + "0" * 400 + "1", "1e-400", "٣", "²"),
)
CHARACTERS = (
    *("", "(", ")", "?", "-", " ", "\n", "\r", "\t", ";", '"', "'", "{", "}", "[", "]", ",", ":"),
    *("é", "\0", "\x1b", "\x7f", "\u2028", "\ufeff", "\ud7ff", "İ", "ß", "𝄞", "@", "=", "#", "\\"),
)
CONNECTIVES = ("and", "or", "forall", "exists", "imply")
KEYWORDS = (*CONNECTIVES, "define", "domain", "problem", "not", "when", "increase", "minimize")
BYTES = (0, 1, 9, 10, 13, 32, 40, 41, 127, 128, 192, 237, 239, 254, 255)


def mutated_tokens(
    rng: random.Random, text: str, pattern: str, spice: Sequence[str], edits: int
) -> str:
    """A text with some of its tokens deleted, repeated, swapped, moved or replaced."""
    tokens = re.findall(pattern, text)
    for _ in range(edits):
        if not tokens:
            break
        here, there = rng.randrange(len(tokens)), rng.randrange(len(tokens))
        match rng.randrange(9):
            case 0:
                del tokens[here : here + rng.randint(1, 3)]
            case 1:
                length = rng.choice((1, 2, 5, 20))
                tokens[there:there] = tokens[here : here + length]
            case 2:
                tokens[here], tokens[there] = tokens[there], tokens[here]
            case 3 | 4:
                tokens[here] = rng.choice(spice)
            case 5:
                tokens[here] = tokens[there]
            case 6:
                tokens.insert(here, rng.choice(spice))
            case 7:
                tokens[here] = rng.choice(NUMBERS)
            case _:
                if rng.random() < 0.3:
                    del tokens[min(here, there) : max(here, there)]
    return "".join(tokens)


def mutated_names(rng: random.Random, text: str, edits: int) -> str:
    """A text with some names replaced by others that stand in the same kind of place.

    Much of what comes out is still a task, with another meaning.
    """
    tokens = re.findall(r"\s+|[()]|[^\s()]+", text)
    words = [i for i, token in enumerate(tokens) if not token.isspace() and token not in "()"]
    places: dict[tuple[bool, str], list[int]] = {}
    for i in words:
        first = tokens[i][0] if tokens[i][0] in "?:-" else "0" if tokens[i][0].isdigit() else "a"
        if first in "?0a" and tokens[i].lower() not in KEYWORDS:
            places.setdefault((i > 0 and tokens[i - 1] == "(", first), []).append(i)
        elif tokens[i].lower() in CONNECTIVES:
            places.setdefault((True, "and"), []).append(i)
    for _ in range(edits if places else 0):
        alike = places[rng.choice(list(places))]
        tokens[rng.choice(alike)] = tokens[rng.choice(alike)]
    return "".join(tokens)


def mutated_lists(rng: random.Random, text: str) -> str:
    """A text with one of its lists in parentheses deleted, doubled, moved or put elsewhere."""
    spans = sorted(_lists(text), key=lambda span: span[1] - span[0])[:-1]  # not the whole
    if rng.random() < 0.8:  # leave the sections where they are
        outer = ("(:", "(domain", "(problem")
        spans = [span for span in spans if not text.startswith(outer, span[0])]
    if len(spans) < 2:
        return text
    (a, b), (c, d) = rng.choice(spans), rng.choice(spans)
    chosen = text[a:b]
    match rng.randrange(6):
        case 0:
            return text[:a] + text[b:]
        case 1:
            return text[:b] + " " + chosen + text[b:]
        case 2:
            return text[:c] + chosen + text[c:]
        case 3:
            return text[:c] + chosen + text[d:]
        case 4:
            if b <= c:
                return text[:a] + text[c:d] + text[b:c] + chosen + text[d:]
            return text[:a] + chosen * rng.choice((2, 3, 10)) + text[b:]
        case _:
            word = rng.choice(("and", "or", "not", "forall (?z)", "exists (?z)", "imply", "when"))
            return f"{text[:a]}({word} {chosen}){text[b:]}"


def _lists(text: str) -> list[tuple[int, int]]:
    spans, open_at = [], []
    for match in re.finditer(r"[()]", text):
        if match.group() == "(":
            open_at.append(match.start())
        elif open_at:
            spans.append((open_at.pop(), match.end()))
    return spans


def mutated_bytes(rng: random.Random, data: bytes, edits: int) -> bytes:
    """Bytes with some replaced, inserted, deleted, repeated, or all cut off after some place."""
    changed = bytearray(data)
    for _ in range(edits):
        place = rng.randrange(len(changed) + 1)
        if rng.random() < 0.02:  # deeper than any recursion goes
            changed[place:place] = rng.choice((b"[", b'{"a":', b"(", b"a=[")) * 20_000
            continue
        match rng.randrange(7):
            case 0:
                changed[place:place] = rng.choice(CHARACTERS).encode("utf-8", "surrogatepass")
            case 1:
                changed[place : place + 1] = bytes([rng.choice(BYTES)])
            case 2:
                changed[place : place + 1] = bytes([rng.randrange(256)])
            case 3:
                del changed[place : place + rng.choice((1, 1, 2, 8, 100))]
            case 4:
                length = rng.choice((1, 8, 64))
                changed[place:place] = changed[place : place + length]
            case 5:
                if place < len(changed):
                    changed[place] ^= 1 << rng.randrange(8)
            case _:
                if rng.random() < 0.3:
                    del changed[place:]
    return bytes(changed)


_ODD_VALUES = (
    *(None, True, False, 0, 1, -1, 2, 15, 16, 1000, 2**31, 2**53, 2**63, -(2**63), 10**30, 0.5),
    *(1e308, float("nan"), float("inf"), -0.0, "", "x", "..", "/", "\0", "é", "x" * 300, "int64"),
    *("float32", [], [[]], [None], [0], {}, {"x": 1}, [1] * 50, ["a", "a"], "\x1b[31m", "a b"),
)


def mutated_value(rng: random.Random, value: Any) -> Any:
    """A JSON value with one damage somewhere inside."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        changed = dict(value)
        key = rng.choice(list(changed))
        kind = rng.random()
        if kind < 0.1:
            del changed[key]
        elif kind < 0.15:
            changed[rng.choice(("x", "", "format", key + "2"))] = changed.pop(key)
        elif kind < 0.2:
            changed[key] = changed[rng.choice(list(changed))]
        else:
            changed[key] = mutated_value(rng, changed[key])
        return changed
    if isinstance(value, list) and value and rng.random() < 0.85:
        copy = list(value)
        place = rng.randrange(len(copy))
        kind = rng.random()
        if kind < 0.1:
            del copy[place]
        elif kind < 0.2:
            copy.insert(place, copy[rng.randrange(len(copy))])
        elif kind < 0.25:
            rng.shuffle(copy)
        else:
            copy[place] = mutated_value(rng, copy[place])
        return copy
    if isinstance(value, (int, float)) and not isinstance(value, bool) and rng.random() < 0.5:
        return rng.choice((value + 1, value - 1, -value, value * 2, value * 1000, value + 2**31))
    if isinstance(value, str) and value and rng.random() < 0.4:
        return mutated_bytes(rng, value.encode(), 1).decode(errors="replace")
    return rng.choice(_ODD_VALUES)
