"""The story of the specification, end to end, with the installed command in processes of its own.

T1 commits and its answer is lost; the receipt R1 is found again and nothing is done twice. C1 becomes C2, and what was
validated and approved on C1 is judged anew. A Vision that was never there is not unchanged. Every Todo is done, and the
audit still refuses, line by line, until each line is settled; then the Goal ends.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.support.killed import run_killed
from tests.support.lab import ENVIRONMENT
from tests.support.process import Ran
from tests.support.project import Project

R1 = "op-t1"
SCOPE = "public_claim:goal:guide"
PAGE = "https://example.org/guide"
CHECK = "grep -q guide docs/guide.md"


@dataclass
class Story:
    """One project, told by commands; ids are kept by the names the story gives them."""

    project: Project
    ids: dict[str, str] = field(default_factory=dict)

    def __call__(self, *arguments: str, ends: int = 0) -> Any:
        """Run ``loopx`` as a person; its ``data``, or its ``error`` where it ends otherwise than well."""
        told = self.run(*arguments, "--json").expect(ends).json
        return told["error"] if ends else told["data"]

    def agent(self, *arguments: str, ends: int = 0) -> Any:
        return self(*arguments, "--actor", "agent:claude", ends=ends)

    def run(self, *arguments: str) -> Ran:
        return self.project.loopx(*arguments, environment=ENVIRONMENT)

    def made(self, name: str, told: Any) -> str:
        """Keep the id a command made."""
        self.ids[name] = str(told["result"]["id"])
        return self.ids[name]

    def commits(self) -> int:
        return int(self.project.loopx_git("rev-list", "--count", "HEAD"))

    def revise(self, text: str) -> str:
        """Commit the project's guide as ``text``; the new revision."""
        self.project.write("docs/guide.md", text)
        self.project.git("add", "--all")
        self.project.git("commit", "--quiet", "--message=guide")
        return self.project.git("rev-parse", "HEAD").strip()

    def next(self) -> Any:
        return self("next", "--goal", "beta", "--agent", "claude")

    def worth(self) -> set[str]:
        """What the validation of the guide is worth now."""
        listed = self("evidence", "list", "--about", self.ids["write"])["evidence"]
        return {each["verdict"] for each in listed}

    def approve(self, gate: str) -> None:
        """A person answers a Gate."""
        self("gate", "approve", self.ids[gate], "--reason", "Read it", "--confirm", self.ids[gate])

    def failing(self) -> set[str]:
        """Keys of the audit's lines that fail."""
        told = self("goal", "audit", "beta")
        return {key for part in ("audit", "others") for key, line in told[part].items() if not line["holds"]}

    def refused(self) -> set[str]:
        """Keys of the lines closing the Goal is refused for."""
        error = self.agent("goal", "close", "beta", ends=1)
        assert error["code"] == "goal-not-closable"
        return set(error["facts"]["failing"])


@pytest.fixture
def story(tmp_path: Path) -> Story:
    project = Project.make(tmp_path / "lab")
    told = Story(project)
    C1 = told.revise("A guide.\n")
    before = project.snapshot()
    told("init", "--title", "Lab")
    told("agent", "add", "claude")
    told("agent", "add", "rex")
    told("goal", "new", "beta", "--title", "Ship the beta", "--accept", "The guide is written")
    told("goal", "new", "site", "--title", "Keep the site up")
    the_page_counts(told)
    told("goal", "edit", "beta", "--check", f"a1={CHECK}")
    write = ("--accept", "a1", "--validate", CHECK, "--write-scope", "docs/**")
    told.made("write", told("todo", "add", "Write the guide", "--goal", "beta", *write))
    told.made("publish", told("todo", "add", "Publish the guide", "--goal", "beta", "--requires", SCOPE))
    project.assert_untouched(before)
    told.ids["C1"] = C1
    return told


def the_page_counts(story: Story) -> None:
    """A person types a second criterion, one that rests on a fact outside."""
    file = story.project.loopx_folder / "goals/beta/goal.md"
    text = file.read_text(encoding="utf-8")
    typed = f"  - id: a2\n    text: The guide is online\n    readback: {{source: {PAGE}, fresh_for: 1h}}\n"
    head, line, rest = text.partition("    text: The guide is written\n")
    assert line, text
    file.write_text(f"{head}{line}{typed}{rest}", encoding="utf-8")
    settled = file.stat().st_mtime - 60
    os.utime(file, (settled, settled))
    assert [each["id"] for each in story("goal", "show", "beta")["criteria"]] == ["a1", "a2"]


def test_the_story_of_the_specification(story: Story) -> None:
    an_answer_is_lost_and_found(story)
    publication_is_approved_on_c1(story)
    c1_becomes_c2(story)
    unchanged_needs_something_to_compare_with(story)
    every_todo_is_done_and_nothing_has_ended(story)
    each_line_is_settled(story)
    the_goal_ends(story)


# the answer ----------------------------------------------------------------------------------------


def t1(story: Story) -> tuple[str, ...]:
    """T1's writeback: the Todo is done, its validation runs, the criterion is met, the Vision is called unchanged."""
    settled = ("refresh-state", "--goal", "beta", "--turn", story.ids["T1"], "--scale", "implementation")
    told = ("--outcome", "outcome_progress", "--done", "--meets", "a1", "--vision-unchanged-reason", "As planned")
    return (*settled, *told, "--op", R1, "--actor", "agent:claude")


def an_answer_is_lost_and_found(story: Story) -> None:
    """T1 commits; the process is killed right after the branch moved, before it could say so."""
    story.ids["T1"] = story.agent("turn", "open", "--goal", "beta", "--todo", story.ids["write"])["turn"]
    before = story.commits()
    assert run_killed("published", *t1(story), cwd=story.project.root) == -signal.SIGKILL
    assert story.commits() == before + 1

    found = story("op", "show", R1)  # by its identity, in another process
    assert found["state"].startswith("committed")
    receipt = found["receipt"]
    assert (receipt["operation"], receipt["result"]["became"]) == (R1, "done")
    assert story.commits() == before + 1

    story("todo", "add", "Renew the certificate", "--goal", "site")  # others go on
    again = story(*t1(story))  # the same request under the same identity
    assert again["replayed"] is True
    assert {name: again[name] for name in ("request", "at", "result")} == {
        name: receipt[name] for name in ("request", "at", "result")
    }
    assert story.commits() == before + 2
    later = story("op", "show", R1)
    assert (later["state"], later["revision"], later["receipt"]) == ("committed", found["revision"], receipt)
    other = story("todo", "add", "Something else", "--goal", "beta", "--op", R1, ends=1)
    assert other["code"] == "operation-reused"
    [validation] = story("evidence", "list", "--about", story.ids["write"])["evidence"]
    story.ids["E1"] = validation["id"]
    assert story.ids["E1"] in receipt["result"]["evidence"]
    assert story.worth() == {"applies"}


# C1, C2 and G1 -----------------------------------------------------------------------------------


def publication_is_approved_on_c1(story: Story) -> None:
    """The agent asks on what was validated, a person answers; T1's receipt itself permits nothing."""
    assert story("todo", "done", story.ids["publish"], ends=1)["code"] == "gate-required"
    asked = ("--scope", SCOPE, "--question", "May the guide be published?", "--evidence", story.ids["E1"])
    story.made("G1", story.agent("gate", "open", "--goal", "beta", *asked))
    story.approve("G1")
    assert story("gate", "show", story.ids["G1"])["covers"] is True
    assert story("goal", "show", "beta")["criteria"][0]["status"] == "met"


def c1_becomes_c2(story: Story) -> None:
    """What was validated and approved on C1 stays on record and is judged anew; nobody's word alone carries it over."""
    story.ids["C2"] = story.revise("A guide, with a second part nobody checked.\n")
    assert story.worth() == {"needs_reassessment"}
    shown = story("evidence", "show", story.ids["E1"])
    assert shown["artifact_revision"] == story.ids["C1"]
    assert story("goal", "show", "beta")["criteria"][0]["status"] == "open"
    gate = story("gate", "show", story.ids["G1"])
    assert gate["covers"] is False and "reassessment" in gate["why"]
    assert story("todo", "done", story.ids["publish"], ends=1)["code"] in ("gate-required", "gate-pending")
    assert story("op", "show", R1)["state"] == "committed"  # history, which permits nothing

    unaffected = ("evidence", "reassess", story.ids["E1"], "--not-affecting", "--reason", "A small change")
    why = ("--difference", "A second part", "--requirement", "It is a guide", "--checked", "Read it")
    assert story.agent(*unaffected, *why, ends=1)["code"] == "reassessment-own-work"
    story.approve("G1")  # a person looked at C2
    assert story("gate", "show", story.ids["G1"])["covers"] is True


# the Vision ------------------------------------------------------------------------------------------


def unchanged_needs_something_to_compare_with(story: Story) -> None:
    """T1 called the Vision unchanged; there was none. The gap stays until one is written."""
    assert story("turn", "show", story.ids["T1"])["checkpoint"]["result"] == "missing"
    told = story.next()
    assert told["mode"] == "replan"
    assert {each["trigger"] for each in told["obligations"]} >= {"evidence-contradicted", "vision_checkpoint_missing"}


# the audit ---------------------------------------------------------------------------------------------


def every_todo_is_done_and_nothing_has_ended(story: Story) -> None:
    """The list is empty, and everything else there can be is in the way."""
    certificate = story("todo", "list", "--goal", "site")["todos"][0]["id"]
    story.ids["certificate"] = certificate
    story("todo", "done", story.ids["publish"], "--successor", certificate)
    watch = ("--class", "monitor", "--cadence", "1h", "--target", PAGE, "--goal", "beta")
    story.made("watch", story("todo", "add", "Watch the page", "--watch-only", *watch))
    story.made("orders", story("todo", "add", "Watch the orders", *watch))
    story("monitor", "poll", story.ids["orders"], "--target", PAGE, "--seen", "none")
    asked = ("--scope", "direction:goal:name", "--question", "Is Beta a good name?")
    story.made("G2", story.agent("gate", "open", "--goal", "beta", *asked))
    for name, more in (("posted", ("--postcondition", "The page lists it")), ("mailed", ())):
        story.made(name, story.agent("effect", "open", f"{name} the news", "--goal", "beta", *more))
    confirmed = ("--status", "confirmed", "--evidence", "It is listed")
    story.agent("effect", "settle", story.ids["posted"], *confirmed)
    story.made("offer", story.agent("handoff", "create", "--goal", "beta", "--to", "rex", "--next-action", "Go on"))
    owed = story.next()["obligations"][0]["id"]
    story.ids["T2"] = story.agent("turn", "open", "--goal", "beta", "--obligation", owed)["turn"]
    story("lease", "acquire", story.ids["orders"], "--key", "k-story", "--actor", "agent:rex")
    assert "vision_checkpoint_missing" in str(story("goal", "audit", "beta")["others"]["other_obligations"])
    assert story.failing() == set(SETTLED_BY) == story.refused()


def each_line_is_settled(story: Story) -> None:
    """One after the other; closing is refused, naming what is left, until nothing is."""
    left, failing = set(SETTLED_BY), set(SETTLED_BY)
    for key, settle in SETTLED_BY.items():
        if key in failing:
            assert story.refused() == failing <= left
            settle(story)
            failing = story.failing()
        assert key not in failing, story("goal", "audit", "beta")
        left.discard(key)
    assert failing == set()


def the_turn_is_ended(story: Story) -> None:
    story.agent("turn", "void", story.ids["T2"], "--reason", "The Vision is written apart")


def the_vision_is_written(story: Story) -> None:
    story.agent("vision", "set", "--goal", "beta", "--agent", "claude", "--summary", "Guide first, then the news")


def what_is_known_of_the_mail_is_recorded(story: Story) -> None:
    story("effect", "settle", story.ids["mailed"], "--status", "absent", "--evidence", "The outbox is empty")


def the_guide_is_validated_again(story: Story) -> None:
    """C2 is judged by its own check, not by what C1 passed."""
    story("goal", "check", "beta", "a1")
    [newest, *_] = story("evidence", "list", "--about", "beta/a1")["evidence"]
    assert newest["artifact_revision"] == story.ids["C2"]
    story.agent("goal", "meet", "beta", "a1", "--evidence", newest["id"])


def the_page_is_read_back(story: Story) -> None:
    read = story("evidence", "add", "beta/a2", "The page answers and shows the guide", "--kind", "readback")
    story.made("read", read)


def the_page_is_judged(story: Story) -> None:
    story("goal", "meet", "beta", "a2", "--evidence", story.ids["read"])


SETTLED_BY: dict[str, Callable[[Story], object]] = {
    "due_monitors": lambda story: story("monitor", "poll", story.ids["watch"], "--target", PAGE, "--seen", "up"),
    "unresolved_blocking_gates": lambda story: story.approve("G2"),
    "required_external_readbacks_are_fresh": the_page_is_read_back,
    "acceptance_gaps": lambda story: (the_guide_is_validated_again(story), the_page_is_judged(story)),
    "replan_obligations": lambda story: pytest.fail("with the criteria met there is nothing to plan anew"),
    "pending_successors": lambda story: story("todo", "done", story.ids["certificate"]),
    "open_turns": the_turn_is_ended,
    "other_obligations": lambda story: (the_vision_is_written(story), what_is_known_of_the_mail_is_recorded(story)),
    "unknown_outcomes": what_is_known_of_the_mail_is_recorded,
    "retryable_postconditions": lambda story: story(
        "effect", "confirm", story.ids["posted"], "1", "--evidence", "I saw it on the page"
    ),
    "unanswered_handoffs": lambda story: story(
        "handoff", "decline", story.ids["offer"], "--reason", "Nothing is left", "--actor", "agent:rex"
    ),
    "live_leases": lambda story: story(
        "lease", "release", story.ids["orders"], "--key", "k-story", "--actor", "agent:rex"
    ),
    "standing_monitors": lambda story: story(
        "todo", "cancel", story.ids["orders"], "--reason", "Orders go to the shop now"
    ),
}
"""Every line that can be in the way once all Todos are done, and what settles it."""


# the end -------------------------------------------------------------------------------------------------


def the_goal_ends(story: Story) -> None:
    """The agent closes it on a clean audit; the basis is kept, the watching ends, and nothing calls for work."""
    told = story.agent("goal", "close", "beta", "--op", "op-end")
    assert told["result"]["retired"] == [story.ids["watch"]]
    shown = story("goal", "show", "beta")
    assert (shown["status"], shown["outcome"]) == ("closed", "achieved")
    [entry] = shown["closures"]
    assert entry["by"] == "agent:claude" and {each["count"] for each in entry["basis"]} == {0}
    told = story.next()
    assert (told["mode"], told["interaction_contract"]["agent_channel"]["must_attempt"]) == ("terminal", False)
    assert story("doctor", "--goal", "beta")
    assert story.project.loopx_git("fsck", "--strict", "--no-dangling").strip() == ""
    assert story.project.loopx_git("status", "--porcelain") == ""
