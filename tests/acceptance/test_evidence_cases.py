"""Evidence in a real project: what C1 validated when C2 comes, ways round an acceptance check, work outside Git, and
files nobody can read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from loopx.workspace import Workspace
from tests.support.console import Console, Said
from tests.support.lab import ENVIRONMENT, Lab
from tests.support.project import Project

BOT, REX = "agent:bot", "agent:rex"
JUDGED = ("--reason", "A comment", "--requirement", "The tutorial runs", "--checked", "Read the diff")


@dataclass(slots=True)
class Scene:
    """A project whose Goal beta has the criterion a1, and the Todo that advances it, written and validated in src/."""

    lab: Lab
    ask: Console
    todo: str = ""
    evidence: str = ""

    def commit(self, path: str, text: str) -> None:
        """Commit C2: a change of one file of the project."""
        self.lab.project.write(path, text)
        self.lab.project.git("add", "--all")
        self.lab.project.git("commit", "--quiet", "--message=next")
        self.lab.clock.wait(2)

    def verdict(self) -> str:
        return str(self.ask("evidence", "show", self.evidence, "--json").expect().json["data"]["verdict"])

    def criterion(self) -> str:
        return str(self.ask("goal", "show", "beta", "--json").expect().json["data"]["criteria"][0]["status"])

    def reassess(self, actor: str) -> Said:
        self.lab.clock.wait(2)
        return self.ask("evidence", "reassess", self.evidence, "--not-affecting", *JUDGED, "--actor", actor, "--json")


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    lab = Lab.make(tmp_path / "lab")
    lab.goal("beta", "The tutorial runs")
    lab.project.write("src/app.py", "x = 1\n")
    lab.project.git("add", "--all")
    lab.project.git("commit", "--quiet", "--message=C1")
    made = Scene(lab, Console(lab))
    yield made
    lab.close()


@pytest.fixture
def validated(scene: Scene) -> Scene:
    """The Todo is done by bot on C1 with its validation passed, and a1 is met on that."""
    said = scene.ask("todo", "add", "Write it", "--goal", "beta", "--accept", "a1", "--validate", "true", "--json")
    scene.todo = said.expect().json["data"]["result"]["id"]
    scene.ask("todo", "edit", scene.todo, "--add", "write_scopes=src/**").expect()
    scene.ask("todo", "done", scene.todo, "--actor", BOT).expect()
    scene.ask("goal", "meet", "beta", "a1", "--evidence", scene.todo, "--actor", BOT).expect()
    [found] = scene.ask("evidence", "list", "--about", scene.todo, "--json").expect().json["data"]["evidence"]
    scene.evidence = found["id"]
    assert (scene.verdict(), scene.criterion()) == ("applies", "met")
    return scene


def test_what_c1_validated_is_judged_anew_when_c2_comes(validated: Scene) -> None:
    scene = validated
    scene.commit("docs/guide.md", "text\n")
    assert (scene.verdict(), scene.criterion()) == ("applies", "met")

    scene.commit("src/app.py", "x = 1  # one\n")
    assert (scene.verdict(), scene.criterion()) == ("needs_reassessment", "open")
    refused = scene.reassess(BOT).expect(1).json["error"]
    assert refused["code"] == "reassessment-own-work"
    judgement = scene.reassess(REX).expect().json["data"]["result"]["judgement"]
    assert (scene.verdict(), scene.criterion()) == ("applies", "met")
    kept = scene.ask("evidence", "show", judgement, "--json").expect().json["data"]
    assert kept["source"] == REX and kept["reassessment"]["difference"].endswith(": M src/app.py")

    scene.commit("src/app.py", "x = 2\n")
    assert (scene.verdict(), scene.criterion()) == ("needs_reassessment", "open")
    scene.lab.project.write("src/app.py", "x = 1  # one\n")
    assert (scene.verdict(), scene.criterion()) == ("applies", "met")
    scene.lab.project.write("src/app.py", "x = 1\n")
    assert (scene.verdict(), scene.criterion()) == ("applies", "met")


def test_work_that_is_validated_before_it_is_committed_stays_validated_when_it_is(scene: Scene) -> None:
    scene.lab.project.write("src/new.py", "y = 1\n")
    said = scene.ask("todo", "add", "Write it", "--goal", "beta", "--validate", "test -f src/new.py", "--json")
    todo = said.expect().json["data"]["result"]["id"]
    scene.ask("todo", "done", todo).expect()
    scene.evidence = scene.ask("evidence", "list", "--json").json["data"]["evidence"][0]["id"]
    before = scene.lab.project.git("rev-parse", "HEAD").strip()
    scene.commit("src/new.py", "y = 1\n")
    assert scene.lab.project.git("rev-parse", "HEAD").strip() != before
    assert scene.verdict() == "applies"


def test_the_coverage_of_g1_is_judged_anew_with_what_it_was_decided_on(validated: Scene) -> None:
    scene, scope = validated, "production:goal:deploy"
    words = ("--scope", scope, "--question", "May it go live?", "--evidence", scene.evidence, "--json")
    gate = scene.ask("gate", "open", "--goal", "beta", *words).expect().json["data"]["result"]["id"]
    other = ("--scope", "direction:goal:tone", "--question", "Formal?", "--json")
    plain = scene.ask("gate", "open", "--goal", "beta", *other).expect().json["data"]["result"]["id"]
    for each in (gate, plain):
        scene.ask("gate", "approve", each, "--reason", "Rehearsed", "--confirm", each).expect()
    said = scene.ask("todo", "add", "Deploy", "--goal", "beta", "--requires", scope, "--json")
    deploy = said.expect().json["data"]["result"]["id"]

    scene.commit("src/app.py", "x = 2\n")
    shown = {each: scene.ask("gate", "show", each, "--json").expect().json["data"] for each in (gate, plain)}
    assert (shown[gate]["covers"], shown[plain]["covers"]) == (False, True)
    assert "needs reassessment" in shown[gate]["why"]
    assert scene.ask("todo", "done", deploy, "--json").expect(1).json["error"]["code"] == "gate-pending"
    assert "May it go live?" in scene.ask("status").out

    scene.ask("gate", "approve", gate, "--reason", "Looked at C2", "--confirm", gate).expect()
    scene.ask("todo", "done", deploy).expect()


def test_nothing_of_the_project_is_written_by_looking_at_it(validated: Scene) -> None:
    scene = validated
    scene.lab.project.write("src/app.py", "x = 3\n")
    before = scene.lab.project.snapshot()
    assert scene.verdict() == "needs_reassessment"
    for words in (("status",), ("goal", "show", "beta"), ("evidence", "list"), ("why", "beta")):
        scene.ask(*words).expect()
    scene.lab.project.assert_untouched(before)


# ways round a check ------------------------------------------------------------------------------


@pytest.fixture
def failing(scene: Scene) -> Scene:
    """The Todo's validation fails."""
    said = scene.ask("todo", "add", "Write it", "--goal", "beta", "--accept", "a1", "--validate", "false", "--json")
    scene.todo = said.expect().json["data"]["result"]["id"]
    return scene


def met_by(scene: Scene, evidence: str) -> int:
    return scene.ask("goal", "meet", "beta", "a1", "--evidence", evidence, "--actor", BOT).code


def shown(scene: Scene) -> dict[str, object]:
    data: dict[str, object] = scene.ask("todo", "show", scene.todo, "--json").expect().json["data"]
    return data


@pytest.mark.parametrize("actor", [BOT, "human:Ann"])
def test_Q07_a_failing_check_guards_done_and_leaves_no_support_behind(failing: Scene, actor: str) -> None:
    done = failing.ask("todo", "done", failing.todo, "--actor", actor, "--json").expect(5)
    assert done.json["error"]["code"] == "validation-failed"
    assert (shown(failing)["status"], failing.criterion()) == ("open", "open")
    assert met_by(failing, done.json["error"]["facts"]["evidence"]) == 1
    assert met_by(failing, failing.todo) == 1


def test_Q07_what_fails_its_check_is_not_archived(failing: Scene) -> None:
    assert failing.ask("todo", "archive", failing.todo, "--json").expect(1).json["error"]["code"] == "todo-not-closed"


def test_Q07_replacing_it_hands_the_check_on_and_supports_nothing(failing: Scene) -> None:
    failing.ask("todo", "supersede", failing.todo, "--by", "Write it anew", "--actor", BOT).expect()
    [heir] = [each for each in failing.lab.todos().values() if each.title == "Write it anew"]
    assert heir.validation is not None and heir.validation.argv == ("false",)
    assert heir.acceptance == ("a1",)
    assert met_by(failing, failing.todo) == 1
    assert failing.ask("todo", "done", heir.id, "--json").expect(5).json["error"]["code"] == "validation-failed"


def test_Q07_giving_it_up_supports_nothing(failing: Scene) -> None:
    failing.ask("todo", "cancel", failing.todo, "--reason", "Too hard", "--actor", BOT).expect()
    assert met_by(failing, failing.todo) == 1
    assert failing.criterion() == "open"


def test_Q07_an_agent_does_not_weaken_the_check(failing: Scene) -> None:
    words = ("todo", "edit", failing.todo, "--validate", "true", "--actor", BOT, "--json")
    assert failing.ask(*words).expect(1).json["error"]["code"] == "actor-not-permitted"


def test_Q07_done_typed_into_the_file_or_committed_with_plain_git_waits_for_the_check(failing: Scene) -> None:
    path = failing.lab.path_of(failing.todo)
    failing.lab.change(path, "status: open", "status: done")
    [edit] = failing.ask("edit", "list", "--json").expect(1).json["data"]["edits"]
    assert [each["code"] for each in edit["problems"]] == ["validation-required"]
    failing.ask("edit", "discard", path).expect()
    failing.lab.change(path, "status: open", "status: done", quiet=False)
    failing.lab.git("commit", "--quiet", "--all", "--message=imported")
    assert (shown(failing)["status"], failing.criterion()) == ("open", "open")


def test_Q07_a_file_that_is_deleted_takes_nothing_with_it_that_would_meet_the_criterion(failing: Scene) -> None:
    (failing.lab.root / failing.lab.path_of(failing.todo)).unlink()
    failing.lab.clock.wait(3600)
    failing.ask("status")
    assert failing.criterion() == "open"


def test_Q07_what_is_done_without_a_check_is_shown_unverified_and_supports_nothing(scene: Scene) -> None:
    scene.todo = scene.lab.todo("Say it is done", acceptance=("a1",))
    assert scene.ask("todo", "done", scene.todo, "--json").expect().json["data"]["result"]["validated"] is False
    assert "unvalidated" in scene.ask("why", scene.todo).out
    assert met_by(scene, scene.todo) == 1
    assert scene.criterion() == "open"


def test_Q07_a_criterion_with_a_check_of_its_own_is_not_met_by_another_that_passes(scene: Scene) -> None:
    criterion = '[{"id": "a1", "text": "The tutorial runs", "check": ["false"]}]'
    scene.ask("goal", "edit", "beta", "--set", f"acceptance={criterion}").expect()
    said = scene.ask("todo", "add", "Pass", "--goal", "beta", "--accept", "a1", "--validate", "true", "--json")
    scene.todo = said.expect().json["data"]["result"]["id"]
    scene.ask("todo", "done", scene.todo, "--actor", BOT).expect()
    assert met_by(scene, scene.todo) == 1
    failed = scene.ask("goal", "check", "beta", "a1", "--actor", BOT, "--json").expect(5)
    assert met_by(scene, failed.json["data"]["checks"][0]["evidence"]) == 1
    scene.ask("goal", "waive", "beta", "a1", "--reason", "Video instead").expect()
    assert scene.criterion() == "waived"


# work outside Git --------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["a person's word", "a check of LoopX", "a validated Todo"])
def test_Q11_a_goal_whose_result_is_not_in_git_is_settled_all_the_same(tmp_path: Path, by: str) -> None:
    (tmp_path / "plain").mkdir()
    Workspace.create(tmp_path / "plain", environ=ENVIRONMENT).close()
    ask = Console(Lab(Project(tmp_path / "plain")))
    criterion = '[{"id": "a1", "text": "The party took place"%s}]'
    ask("goal", "new", "party", "--title", "Hold the party").expect()
    check = ', "check": ["test", "-e", "photo.jpg"]' if by == "a check of LoopX" else ""
    ask("goal", "edit", "party", "--set", f"acceptance={criterion % check}").expect()
    match by:
        case "a person's word":
            ask("goal", "meet", "party", "a1", "--evidence", "I was there").expect()
        case "a check of LoopX":
            (tmp_path / "plain" / "photo.jpg").touch()
            said = ask("goal", "check", "party", "--actor", BOT, "--json").expect()
            kept = said.json["data"]["checks"][0]["evidence"]
            assert ask("evidence", "show", kept, "--json").json["data"]["artifact"] is None
            ask("goal", "meet", "party", "a1", "--evidence", kept, "--actor", BOT).expect()
        case _:
            words = ("--goal", "party", "--accept", "a1", "--validate", "true", "--json")
            todo = ask("todo", "add", "Invite", *words).expect().json["data"]["result"]["id"]
            ask("todo", "done", todo, "--no-follow-up", "All came", "--actor", BOT).expect()
            ask("goal", "meet", "party", "a1", "--evidence", todo, "--actor", BOT).expect()
    assert ask("goal", "show", "party", "--json").json["data"]["criteria"][0]["status"] == "met"
    ask("goal", "close", "party").expect()


# files nobody can read ---------------------------------------------------------------------------


def test_Q13_files_that_cannot_be_read_are_counted_as_such_beside_what_is_known(scene: Scene) -> None:
    todos = [scene.lab.todo(f"Todo {number}") for number in range(5)]
    for each in todos[:3]:
        scene.lab.save(scene.lab.path_of(each), "---\nstatus: [open\n---\n")
    told = scene.ask("status", "--json").expect(1).json["data"]
    assert (told["unreadable"], told["goals"][0]["unreadable"], sum(told["counts"].values())) == (3, 3, 5)
    assert "(3 unreadable)" in scene.ask("status").out
    assert len(scene.ask("todo", "list", "--json").expect().json["warnings"]) == 3


def test_Q13_what_was_committed_and_cannot_be_read_is_unknown_too(scene: Scene) -> None:
    todos = [scene.lab.todo(f"Todo {number}") for number in range(5)]
    paths = [scene.lab.path_of(each) for each in todos]
    scene.lab.close()
    for each in paths[:3]:
        (scene.lab.root / each).write_text("---\nstatus: [open\n---\n")
    scene.lab.git("commit", "--quiet", "--all", "--message=broken")
    scene.lab.git("update-ref", "refs/loopx/admitted", "HEAD")
    for each in (scene.lab.root / "local").glob("cache.sqlite*"):
        each.unlink()
    told = scene.ask("status", "--json").json["data"]
    assert (told["unreadable"], told["goals"][0]["unreadable"], sum(told["counts"].values())) == (3, 3, 2)
