"""Ranking with bounds and orders of plans: words, claims, and the whole on a tiny scale."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from table_lines import column_of, row_of

import beeline
from beeline.core.errors import BeelineError
from beeline.experiments.chrestien2023 import runs
from beeline.experiments.chrestien2023.beyond_ranking import CHOICE, EXPANDS, GRID, SOLVES, verdicts
from beeline.experiments.chrestien2023.trainings import TITLES, Choice, Variant, training_works
from beeline.experiments.running import run_experiment
from beeline.generators import domain_text
from beeline.generators.registry import Recipe
from beeline.learning.training_aims import chosen_aim
from beeline.models.neural_model import NeuralModel

if TYPE_CHECKING:
    from pathlib import Path

    from beeline.experiments.running import Outcome

CHOSEN = ("rank-astar", "rank-astar+lmcut", "truncated-gaussian", "rank-astar+3merged")
TASKS = 8


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Spanner tasks: where two spanners lie, either may be taken first."""
    folder = tmp_path_factory.mktemp("tasks")
    place = folder / "spanner"
    place.mkdir()
    place.joinpath("domain.pddl").write_text(domain_text("spanner"))
    for number in range(TASKS):
        settings = {"spanners": 2 + number % 2, "nuts": 2, "locations": 1 + number % 2}
        text = Recipe.make("spanner", settings, seed=number).text()
        place.joinpath(f"spanner-{number}.pddl").write_text(text)
    return folder


@pytest.fixture(scope="module")
def results(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    assert run(data, folder).failed == 0
    return folder


def run(
    data: Path,
    folder: Path,
    said: list[str] | None = None,
    name: str = "beyond-ranking",
    losses: tuple[str, ...] = CHOSEN,
) -> Outcome:
    return run_experiment(
        name,
        scale="tiny",
        folder=folder,
        data=data,
        jobs=1,
        changes={"domains": ("spanner",), "losses": losses, "time_limit": 5.0},
        say=([] if said is None else said).append,
    )


@pytest.mark.parametrize("word", [*TITLES, *CHOICE.losses, "rank-truncated+ff+2apart"])
def test_a_word_says_all_about_a_training(word: str) -> None:
    variant = Variant.parse(word)
    assert variant.word == word
    aim = chosen_aim(**variant.settings)
    assert (aim.orders or "first") == variant.way
    if variant.residual is not None:
        assert aim.distribution.residual == variant.residual


@pytest.mark.parametrize(
    "word", ["rank", "rank-astar+max", "rank-astar+4", "l2+1merged", "rank-astar+4merged+ff", ""]
)
def test_words_that_mean_nothing_are_refused(word: str) -> None:
    with pytest.raises(BeelineError, match="no training of this experiment"):
        Variant.parse(word)


def test_single_states_have_no_orders() -> None:
    with pytest.raises(BeelineError, match="no orders of plans"):
        Variant.parse("truncated-gaussian+4merged")


def test_every_training_has_the_bounds_and_orders_of_its_word(results: Path) -> None:
    for word in CHOSEN:
        variant = Variant.parse(word)
        model = beeline.load_model(results / "models" / f"spanner-{word}-1x4-seed0.beeline")
        assert isinstance(model, NeuralModel)
        assert model.distribution == chosen_aim(**variant.settings).distribution
        assert model.summary["loss"].get("orders", "first") == variant.way
        record = json.loads((results / "training" / f"spanner-{word}-1x4-seed0.json").read_text())
        assert 0 <= record["validation"]["violations"] <= 1
    folders = ("spanner", "spanner-3orders")
    plain, ordered = (results / "datasets" / each / "train" / "manifest.json" for each in folders)
    counts = json.loads(ordered.read_text())["counts"]
    assert counts["solved"] == json.loads(plain.read_text())["counts"]["solved"] == TASKS // 2
    assert counts["orders"] > counts["solved"]


def test_tables_have_figures_without_a_paper_s(data: Path, results: Path) -> None:
    outcome = run(data, results)
    assert outcome.paper == ""
    solved, common, _, rates, lengths, plans, training = outcome.tables
    assert column_of(solved, "spanner")[0] == "100"
    assert len(solved.rows) == 2 * len(CHOSEN)
    for table in (common, lengths):
        assert all(row[1].value is not None and row[1].value > 0 for row in table.rows), table
    records = [json.loads(path.read_text()) for path in (results / "search").iterdir()]
    timed = sum(1 for each in records if sum(each["seconds"]) > 0)  # clocks may tick too slowly
    assert sum(1 for row in rates.rows if row[1].value is not None and row[1].value > 0) == timed
    assert plans.header[-1] == "orders, at most 3 each"
    assert int(row_of(plans, "spanner")[-1]) > TASKS // 2
    assert column_of(training, "loss") == [Variant.parse(word).title for word in CHOSEN]
    claimed = {each.text: each for each in (*solved.claims, *common.claims)}
    assert len(claimed) == 2 * len(GRID["claims"])
    details = [each.detail.partition(":")[0] for each in solved.claims]
    assert details.count("2 of 2 comparisons") == 2
    assert [each.holds for each in solved.claims].count(None) == 4  # others were not chosen
    page = (results / "beyond-ranking" / "report" / "index.html").read_text()
    assert "<title>Ranking with bounds, and by orders of plans" in page
    assert "<cite>" not in page


def test_what_has_a_record_is_not_made_again_unless_figures_are_missing(
    data: Path, results: Path
) -> None:
    path = results / "search" / "spanner-rank-astar-1x4-seed0-gbfs.json"
    whole = json.loads(path.read_text())
    path.write_text(json.dumps({key: whole[key] for key in whole if key != "evaluated"}))
    said: list[str] = []
    run(data, results, said)
    assert f"{len(CHOSEN)} of {len(CHOSEN)} runs have records" in said
    assert f"{2 * len(CHOSEN) - 1} of {2 * len(CHOSEN)} runs have records" in said
    again = json.loads(path.read_text())
    assert (again["settings"], again["evaluated"]) == (whole["settings"], whole["evaluated"])


def test_the_paper_s_experiment_takes_the_same_networks(data: Path, results: Path) -> None:
    said: list[str] = []
    run(data, results, said, "chrestien2023-table1", ("rank-astar",))
    assert "1 of 1 runs have records" in said
    assert "2 of 2 runs have records" in said


def test_settings_of_a_plain_training_name_the_loss_alone(results: Path) -> None:
    wanted = Choice(["spanner"], ["rank-astar"], ["1x4"], 1, 2).runs()
    (work,) = training_works(wanted, results).values()
    assert list(work.settings) == [
        *("domain", "loss", "size", "seed", "steps", "learning_rate", "gradient_clip"),
        *("network", "optimiser", "validate_every", "data"),
    ]


def outcome_of(solved: list[bool], expanded: list[int]) -> runs.Trial:
    record = {
        "names": [f"p{place}" for place in range(len(solved))],
        "solved": solved,
        "expanded": expanded,
        "evaluated": [3 * count for count in expanded],
        "seconds": [0.5] * len(solved),
    }
    return runs.Trial("2x8r", record)


TESTS = {
    "astar rank-astar": {"ferry": [outcome_of([True, True, False], [10, 50, 90])]},
    "astar rank-astar+lmcut": {"ferry": [outcome_of([True, False, True], [9, 80, 60])]},
    "astar rank-astar+4merged": {"ferry": [outcome_of([True, True, True], [8, 60, 70])]},
    "gbfs rank-astar+4merged": {"ferry": [outcome_of([False, False, False], [5, 5, 5])]},
}


def test_expansions_are_compared_on_tasks_that_both_solved() -> None:
    bound, *_, merged, _ = verdicts(TESTS, EXPANDS)
    assert [(each.claimed, each.other, each.holds) for each in bound.here] == [("9", "10", True)]
    assert "1 tasks" in bound.here[0].label
    assert [(each.claimed, each.other) for each in merged.here] == [("34", "30")]
    assert merged.word == "does not hold"


def test_claims_on_solved_tasks_allow_equal_figures() -> None:
    found = verdicts(TESTS, SOLVES)
    assert [each.word for each in found] == ["holds", "–", "–", "–", "holds", "–"]
    assert [each.counts for each in found[:2]] == ["1 of 1 comparisons", "nothing to compare"]
    assert found[4].here[0].claimed == "100"


def test_rates_count_unsolved_tasks_too() -> None:
    rates = runs.rate_figures(TESTS)
    assert rates["gbfs rank-astar+4merged"]["ferry"].mean == 30
    assert rates["astar rank-astar"]["ferry"].mean == 300
