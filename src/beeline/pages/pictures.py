"""States as pictures: grids, graphs, stacks, or boxes with what is in them.

What moves is drawn once, as a sprite, and a frame says for each state where it is; the script of
the page puts it there. Shapes: the cells of a grid where the static facts are one; else nodes of a
graph where places are related by a static fact; else boxes. Facts about a single place that are
neither are marks on it, unless they hold of most places at first, as `(clear x)` does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING

from beeline.core.errors import BeelineError
from beeline.models.grid.lattice import find_lattice
from beeline.pages.layout import GAP, LABEL, Box, Things, graph_of, name_width, rows_of, shortened
from beeline.pages.standing import SLOT, find_rules, places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from beeline.models.grid.lattice import Lattice
    from beeline.pages.standing import Facts, Rules
    from beeline.pddl.model import Problem
    from beeline.task.ground_task import GroundTask

MOST_SPRITES, MOST_PLACES, MOST_NODES = 300, 1500, 40
COLOURS, MOST_MARKS = 8, 6  # that the page has
NO_GOAL, OPEN, DONE = 0, 1, 2
ROOM = 220.0  # how wide a place grows before things stand in rows


@dataclass
class Picture:
    """What never moves, and sprites; a frame has the box and the status of those that are seen."""

    caption: str
    places: Mapping[str, Box]
    legend: list[tuple[str, str]]  # class and words
    centred: bool = False  # names in the middle of things, not at their top
    background: list[str] = field(default_factory=list)
    sprites: dict[str, str] = field(default_factory=dict)  # names, and what is drawn of them
    frames: list[dict[str, tuple[Box, int]]] = field(default_factory=list)

    @property
    def has_goals(self) -> bool:
        """Whether some sprite shall be somewhere."""
        return any(status != NO_GOAL for frame in self.frames for _, status in frame.values())

    def svg(self) -> str:
        """The picture of the first state."""
        wide, high = (max(b[i] + b[i + 2] for b in self.places.values()) + 4 for i in (0, 1))
        drawn = "".join(self._sprite(name, inner) for name, inner in self.sprites.items())
        return (
            f'<svg class="picture{" centred" if self.centred else ""}" style="--natural:'
            f' {wide:.0f}px" viewBox="-2 -2 {wide:.0f} {high:.0f}" role="img"'
            f' aria-label="{escape(self.caption)}">{"".join(self.background)}{drawn}</svg>'
        )

    def _sprite(self, name: str, inner: str) -> str:
        box, status = next(frame[name] for frame in self.frames if name in frame)
        hidden = "" if name in self.frames[0] else ' visibility="hidden"'
        down = box.h / 2 + 4 if self.centred else 16
        filled = inner.format(w=f"{box.w:g}", h=f"{box.h:g}", x=f"{box.w / 2:g}", y=f"{down:g}")
        kind = "mark" if SLOT in name else "sprite"
        place = f"translate({box.x:g} {box.y:g})"
        return f'<g class="{kind} s{status}" transform="{place}"{hidden}>{filled}</g>'

    def moves(self) -> list[list[list[float]]]:
        """For each state what changes: number of a sprite, alone if it is hidden, box, status."""
        told: list[list[list[float]]] = []
        before: dict[str, tuple[Box, int]] = {}
        for frame in self.frames:
            told.append([])
            for number, name in enumerate(self.sprites):
                if frame.get(name) != before.get(name):
                    box, status = frame.get(name, ((), None))
                    end = [] if status is None else [status]
                    told[-1].append([number, *(round(v, 1) for v in box), *end])
            before = frame
        return told


def draw(task: GroundTask, states: Sequence[Facts]) -> Picture | None:
    """The states of a task, or None if they have no shape, or too many parts."""
    try:
        lattice: Lattice | None = find_lattice(task.problem)
    except BeelineError:
        lattice = None
    rules = find_rules(task, lattice.places if lattice else ())
    parents = {parent for parent, _ in rules.parents(states[0]).values()}
    if lattice is not None and parents.isdisjoint(lattice.places):
        lattice, rules = None, find_rules(task, ())
    drawing = _Drawing(task, rules, states)
    places = lattice.places if lattice else places_of(drawing.standing)
    if not 0 < len(drawing.order) <= MOST_SPRITES or len(places) > MOST_PLACES:
        return None
    return drawing.boxes(places_of(drawing.standing)) if lattice is None else drawing.grid(lattice)


class _Drawing:
    def __init__(self, task: GroundTask, rules: Rules, states: Sequence[Facts]) -> None:
        self.problem, self.rules, self.states = task.problem, rules, states
        self.standing = [rules.parents(facts) for facts in states]
        self.changed = self.problem.domain.changed_predicates()
        self.kinds = _kinds(self.problem, self.changed)
        depth: dict[str, int] = {}
        for state in self.standing:
            for name in state:
                depth[name] = max(depth.get(name, 0), len(_way(name, state)))
        rank = {name: place for place, name in enumerate([*sorted(rules.movers), *self.kinds])}
        # What holds other things is drawn before them.
        self.order = sorted(depth, key=lambda name: (depth[name], rank[name]))
        kinds = dict.fromkeys(self.kind(name) for name in sorted(depth, key=rank.__getitem__))
        self.colour = {kind: place % COLOURS + 1 for place, kind in enumerate(kinds)}
        self.goals: dict[str, list[tuple[str, ...]]] = {}  # about places, by what shall be there
        for literal in task.goal_literals:
            goal = literal.predicate, *literal.args
            if goal[0] in rules.names() and not literal.negated:
                child = goal[1 + rules.children.get(goal[0], 0)]
                name = goal[0] if goal[0] in rules.movers else child
                self.goals.setdefault(name, []).append(goal)

    def kind(self, name: str) -> str:
        """The type of an object, or the word for what has no name."""
        return self.kinds.get(name, name)

    def picture(self, caption: str, at: Mapping[str, Box], longest: int) -> Picture:
        """A picture with places, marks and sprites, and with frames where marks alone are seen."""
        legend = [(f"c{number}", kind) for kind, number in self.colour.items()][:COLOURS]
        picture = Picture(caption, at, legend, longest > 0)
        for name, box in at.items():
            style = "cell" if longest and not name.startswith(SLOT) else "place"
            picture.background.append(_place(name.removeprefix(SLOT), box, style))
        self._add_marks(picture, at, whole=longest > 0)
        for name in self.order:
            mover = name in self.rules.movers
            word = name.removeprefix("at-").removesuffix("-at") if mover else name
            label = shortened(word, longest) if longest else shortened(word)
            picture.sprites[name] = (
                f"<title>{_braced(name)}</title><rect class="
                f'"c{self.colour[self.kind(name)]}" width="{{w}}" height="{{h}}"'
                f' rx="{12 if mover else 4}"/><text x="{{x}}" y="{{y}}">{_braced(label)}</text>'
            )
        return picture

    def put(self, picture: Picture, state: int, name: str, box: Box) -> None:
        """Say where a thing is, and whether it shall be there."""
        goals = self.goals.get(name)
        done = DONE if goals and self.states[state].issuperset(goals) else OPEN
        picture.frames[state][name] = box, done if goals else NO_GOAL

    def _add_marks(self, picture: Picture, at: Mapping[str, Box], *, whole: bool) -> None:
        """Marks come and go like sprites: on the whole place, or side by side at its foot."""
        found: list[dict[str, list[str]]] = []  # places by mark, for each state
        for facts in self.states:
            found.append({})
            for name, place, *rest in (fact for fact in sorted(facts) if 2 <= len(fact) <= 3):
                if name not in self.rules.names() and place in at and at.keys().isdisjoint(rest):
                    found[-1].setdefault(" ".join((name, *rest)), []).append(place)
        usual = {mark for mark, places in found[0].items() if len(places) * 2 >= len(at)}
        picture.frames = [{} for _ in self.states]
        marks = sorted({mark for each in found for mark in each} - usual)[:MOST_MARKS]
        for number, mark in enumerate(marks):
            for frame, places in zip(picture.frames, found, strict=True):
                for name in places.get(mark, ()):
                    box, key = at[name], f"{mark} {SLOT} {name}"
                    foot = Box(box.x + 6 + 14 * number, box.y + box.h - 9, 11, 5)
                    picture.sprites[key] = (
                        f"<title>{_braced(f'{mark}: {name}')}</title>"
                        f'<rect class="m{number + 1}" width="{{w}}" height="{{h}}" rx="2"/>'
                    )
                    frame[key] = box.shrunk(1) if whole else foot, NO_GOAL
            picture.legend.append((f"m{number + 1}", mark))

    def grid(self, lattice: Lattice) -> Picture:
        """Cells, and what is on them; what is held stands below."""
        cell = max(30.0, min(60.0, 680 // lattice.columns))
        at = {
            name: Box(column * cell, row * cell, cell, cell)
            for name, (row, column) in lattice.places.items()
        }
        others = [name for name in places_of(self.standing) if name not in at]
        for place, name in enumerate(others):
            x, y = place * (cell * 3 + GAP), lattice.rows * cell + 2 * GAP
            at[name] = Box(x, y, cell * 3, cell + LABEL)
        caption = f"A grid of {lattice.rows} rows and {lattice.columns} columns"
        picture = self.picture(caption, at, max(2, int((cell - 8) / 6.2)))
        self._add_targets(picture, at)
        for state, standing in enumerate(self.standing):
            content: dict[str, list[str]] = {}
            for name in self.order:
                if name in standing:
                    content.setdefault(_way(name, standing)[-1], []).append(name)
            for root, names in content.items():
                box, side = at[root], (cell - 8) / (1 if len(names) == 1 else 2)
                across = int((box.w - 8) / side)
                for place, name in enumerate(names):
                    x = box.x + 4 + place % across * side
                    y = box.y + box.h - cell + 4 + place // across * side
                    self.put(picture, state, name, Box(x, y, side - 1, side - 1))
        return picture

    def _add_targets(self, picture: Picture, at: Mapping[str, Box]) -> None:
        """Rings where something shall be, and frames where a static fact sets cells apart."""
        apart: dict[str, list[str]] = {}
        for fact in self.problem.init:
            if len(fact) == 2 and fact[1] in at and fact[0] not in self.changed:
                apart.setdefault(fact[0], []).append(fact[1])
        wanted = {goal[-1] for goals in self.goals.values() for goal in goals} & at.keys()
        listed = [("something shall be here", sorted(wanted)), *apart.items()]
        for words, cells in [each for each in listed if 0 < len(each[1]) * 2 < len(at)][:2]:
            style = "target" if cells == sorted(wanted) else "apart"
            for x, y, w, h in (at[cell].shrunk(3) for cell in cells):
                round_or_not = w / 2 if style == "target" else 3
                picture.background.append(
                    f'<rect class="{style}" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}"'
                    f' rx="{round_or_not:g}"/>'
                )
            picture.legend.append((style, words))

    def boxes(self, places: Mapping[str, None]) -> Picture:
        """Places as boxes or nodes, and what is in them and on them."""
        nodes = [name for name in (*places, *self._alike(places)) if not name.startswith(SLOT)]
        edges = self._edges(nodes)
        related = {name for edge in edges for name in edge}
        rank = {name: place for place, name in enumerate(self.kinds)}
        listed = sorted(
            {*places, *(name for name in nodes if name in related or not edges)},
            key=lambda name: (name.startswith(SLOT), rank.get(name, 0), name),
        )
        held = [self._held(state) for state in self.standing]
        # Where towers stand side by side, everything has a column of its own.
        floors: dict[str, dict[str, float]] = {}
        for name in listed:
            there = dict.fromkeys(each for _, roots in held for each in roots.get(name, ()))
            bears = any(each in things.on for things, roots in held for each in roots.get(name, ()))
            if name.startswith(SLOT) and bears:
                wide = GAP + max(map(name_width, self.order))
                floors[name] = {each: place * wide for place, each in enumerate(there)}
        sizes = {name: self._size(name, held, floors.get(name)) for name in listed}
        if edges:
            at = graph_of({name: sizes[name] for name in listed if name in rank}, edges)
            below = max(box.y + box.h for box in at.values()) + 2 * GAP
            rest = rows_of({name: sizes[name] for name in listed if name not in rank})
            at.update({name: box._replace(y=box.y + below) for name, box in rest.items()})
        else:
            at = rows_of({name: sizes[name] for name in sorted(listed, key=floors.__contains__)})
        shape = "A graph of places" if edges else "Stacks" if floors else "Places"
        picture = self.picture(f"{shape} and what is there", at, 0)
        ends = [(at[a].middle, at[b].middle) for a, b in edges]
        lines = [f'<path class="edge" d="M{x:g} {y:g}L{u:g} {v:g}"/>' for (x, y), (u, v) in ends]
        picture.background[:0] = lines
        for state, (things, roots) in enumerate(held):
            found: dict[str, Box] = {}
            for root, names in roots.items():
                box = at[root]
                for name, (x, y, w) in things.flow(names, ROOM)[1].items():
                    left, down = box.x + GAP + x, box.y + LABEL + y
                    if root in floors:
                        left, down = box.x + GAP + floors[root][name], box.y + box.h - 2
                    things.place(name, left, down, w, found)
            for name, box in found.items():
                self.put(picture, state, name, box)
        return picture

    def _size(
        self,
        place: str,
        held: Sequence[tuple[Things, dict[str, list[str]]]],
        columns: dict[str, float] | None,
    ) -> tuple[float, float]:
        """How large a place must be for what is there in any state."""
        wide, high = name_width(place), 0.0
        for things, roots in held:
            names = roots.get(place, ())
            (w, h), _ = things.flow(names, ROOM)
            if columns is not None:
                w = max(columns.values()) + max(map(name_width, self.order))
                h = max((things.size(name)[1][1] for name in names), default=0.0)
            wide, high = max(wide, w), max(high, h)
        return wide + 2 * GAP, max(high, LABEL) + LABEL + 2 * GAP

    def _held(self, state: Mapping[str, tuple[str, str]]) -> tuple[Things, dict[str, list[str]]]:
        """What is on and in what, and what stands directly in places."""
        on: dict[str, list[str]] = {}
        within: dict[str, list[str]] = {}
        roots: dict[str, list[str]] = {}
        for name in (each for each in self.order if each in state):
            parent, predicate = state[name]
            inner = on if predicate in self.rules.stacks else within
            (inner if parent in state else roots).setdefault(parent, []).append(name)
        return Things(on, within), roots

    def _alike(self, places: Iterable[str]) -> list[str]:
        """Places where nothing ever is: objects of the same types as those where something is."""
        kinds = {self.kind(name) for name in places} - {"object"}
        moving = {*self.order}
        found = [name for name, kind in self.kinds.items() if kind in kinds and name not in moving]
        return found if len(found) <= MOST_NODES else []

    def _edges(self, nodes: Iterable[str]) -> list[tuple[str, str]]:
        """Pairs of places that static facts relate; none if that is hardly any, or all."""
        known = set(nodes)
        found: dict[str, dict[tuple[str, str], None]] = {}
        for fact in self.problem.init:
            words = [word for word in fact[1:] if word in known]
            if fact[0] not in self.changed and len(words) == 2 and words[0] != words[1]:
                found.setdefault(fact[0], {})[min(words), max(words)] = None
        several = len(known) * (len(known) - 1) // 2
        kept = [pairs for pairs in found.values() if len(pairs) < several]
        joined = list(dict.fromkeys(pair for pairs in kept for pair in pairs))
        return joined if 2 < len(known) <= MOST_NODES and len(known) // 3 <= len(joined) else []


def _kinds(problem: Problem, changed: frozenset[str]) -> dict[str, str]:
    """The type of each object; where there are no types, its rarest static predicate."""
    members: dict[str, list[str]] = {}
    for fact in problem.init:
        if len(fact) == 2 and fact[0] not in changed:
            members.setdefault(fact[0], []).append(fact[1])
    kinds = {name: types[0] for name, types in problem.objects.items()}
    for predicate, names in sorted(members.items(), key=lambda item: (-len(item[1]), item[0])):
        kinds.update({name: predicate for name in names if problem.objects[name] == ("object",)})
    return kinds


def _way(name: str, state: Mapping[str, tuple[str, str]]) -> list[str]:
    """What a thing stands on, what that stands on, and so on, up to a place."""
    found: list[str] = []
    while name in state and len(found) <= len(state):
        name = state[name][0]
        found.append(name)
    return found


def _braced(text: str) -> str:
    """A text for HTML that stays as it is when sizes are filled in."""
    return escape(text).replace("{", "{{").replace("}", "}}")


def _place(name: str, box: Box, style: str) -> str:
    x, y, w, h = box
    label = f'<text class="name" x="{x + 6:g}" y="{y + 15:g}">{escape(shortened(name))}</text>'
    return (
        f'<g><title>{escape(name)}</title><rect class="{style}" x="{x:g}" y="{y:g}"'
        f' width="{w:g}" height="{h:g}" rx="{2 if style == "cell" else 6}"/>'
        f"{label if style != 'cell' else ''}</g>"
    )
