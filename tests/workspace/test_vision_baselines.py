"""What a Vision was written on is kept whichever way it was written, and a rollback finds it again."""

from __future__ import annotations

from loopx.kernel.commands import SetVision
from loopx.kernel.premises import baseline_of, changed_premises
from loopx.model.baseline import Baseline
from tests.support.lab import ANN, Lab

FILE = "goals/beta/visions/bot.md"
TYPED = "---\nsummary: Guide first\n---\nNotes of mine.\n"


def entries(lab: Lab) -> list[Baseline]:
    log = lab.look().state.baselines("beta", "bot")
    return list(log.entries) if log is not None else []


def current(lab: Lab) -> Baseline | None:
    return baseline_of(lab.look().state, "beta", "bot")


def test_a_vision_typed_into_a_file_is_recorded_in_the_same_commit(lab: Lab) -> None:
    lab.goal("beta", "It is built")
    lab.save(FILE, TYPED)
    lab.look()
    [entry] = entries(lab)
    assert current(lab) == entry and entry.by.startswith("human:")
    touched = lab.git("show", "--name-only", "--format=", "HEAD").split()
    assert sorted(touched) == ["goals/beta/baselines/bot.yaml", FILE]
    lab.change(FILE, "Guide first", "Demo first")
    lab.look()
    assert len(entries(lab)) == 2 and current(lab) == entries(lab)[-1]
    lab.assert_sound()


def test_a_vision_that_a_rollback_put_back_has_the_baseline_of_its_day(lab: Lab) -> None:
    lab.goal("beta", "It is built")
    first = lab.submit(SetVision(goal="beta", agent="bot", summary="Guide first"))
    lab.submit(SetVision(goal="beta", agent="bot", summary="Demo first"))
    lab.ws.roll_back(first.revision, reason="the guide after all", actor=ANN)
    assert len(entries(lab)) == 2 and current(lab) == entries(lab)[0]
    view = lab.look()
    goal = view.state.goal("beta")
    assert goal is not None and changed_premises(view.state, goal, "bot", view.at) == ()
    lab.assert_sound()


def test_a_file_of_baselines_is_not_edited_by_hand(lab: Lab) -> None:
    lab.goal("beta")
    lab.submit(SetVision(goal="beta", agent="bot", summary="Guide first"))
    lab.change("goals/beta/baselines/bot.yaml", "human:Ann", "human:Ben")
    lab.look()
    assert [edit.problems[0].code for edit in lab.ws.edits()] == ["record-machine-owned"]
    assert entries(lab)[0].by == "human:Ann"
