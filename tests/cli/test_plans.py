"""Plans at the terminal: laying one out, looking at it, changing it, and being told all that is wrong with one."""

from __future__ import annotations

import json
import shutil
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Asked, Desk
from tests.support.process import run_loopx

T1, T2 = "t-a0000001", "t-a0000002"
RUN = "run-a0000001"
BOT = ("--actor", "agent:bot")
GOOD = """\
# What I want done.
objective: Have a guide
steps:
  - id: write
    title: Write it
    action: {argv: [touch, guide]}
    verify: [{kind: command, argv: [test, -f, guide]}]  # the file is there
"""
BAD = """\
steps:
  - id: a
    title: A
    depends_on: [b]
    action: {argv: [make]}
    verify: [{kind: regex, value: "("}]
  - id: b
    title: B
    depends_on: [a, z]
    tool: hammer
    write_scopes: ["src/**"]
    action: {argv: ["{tool}"]}
    verify: [{kind: contains}]
  - id: a
    title: Again
    requires: [whatever]
    action: {actor: python, callable: work}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    """A workspace with a Goal, an agent and two Todos, the second of which may write docs alone; made once."""
    desk = Desk(tmp_path_factory.mktemp("made") / "lab")
    desk.project.mkdir()
    desk("init", "--title", "Lab").expect()
    desk("goal", "new", "beta", "--title", "Ship the beta").expect()
    desk("agent", "add", "bot").expect()
    desk("todo", "add", "Write the guide", "--goal", "beta").expect()
    desk("todo", "add", "Record the demo", "--goal", "beta", "--write-scope", "docs/**").expect()
    return desk


@pytest.fixture
def lab(made: Desk, tmp_path: Path) -> Desk:
    """A copy of it."""
    shutil.copytree(made.project, tmp_path / "lab", symlinks=True)
    return Desk(tmp_path / "lab", deepcopy(made.clock), deepcopy(made.ids))


def data(asked: Asked) -> Any:
    return asked.expect().json["data"]


def error(asked: Asked, code: int = 1) -> Any:
    return asked.expect(code).json["error"]


def plan_file(lab: Desk) -> str:
    return lab.file("goals/beta/plans/*/*/plan.yaml").read_text(encoding="utf-8")


def test_a_plan_to_begin_with_is_commented_harmless_and_can_be_carried_out(lab: Desk) -> None:
    told = data(lab("plan", "new", T1, "--json"))
    assert told["path"] == f"goals/beta/plans/{T1}/{RUN}/plan.yaml"
    text = plan_file(lab)
    assert 'argv: ["echo", "hello"]' in text and "# write_scopes:" in text and "# settings:" in text
    assert f'run: "{RUN}"\n' in text and 'objective: "Write the guide"' in text
    assert lab("plan", "check", T1).expect().out == f"{RUN}: it can be carried out\n"
    assert lab("edit", "list").expect().out == "every hand edit is accepted\n"


def test_a_person_is_told_where_the_plan_is_and_what_to_do_next(lab: Desk) -> None:
    said = lab("plan", "new", T1).expect().out
    assert f"plan {RUN} laid out · todo {T1} · steps 1 · " in said
    assert str(lab.root / f"goals/beta/plans/{T1}/{RUN}/plan.yaml") in said
    assert f"  next: loopx plan check {RUN} && loopx run {T1}\n" in said


def test_the_template_is_printed_and_makes_nothing(lab: Desk) -> None:
    told = lab("plan", "new", T1, "--template").expect().out
    assert data(lab("plan", "list", "--json"))["count"] == 0
    (lab.project / "plan.yaml").write_text(told, encoding="utf-8")
    assert lab("plan", "check", "plan.yaml", "--todo", T1).expect().out == "plan.yaml: it can be carried out\n"
    data(lab("plan", "new", T1, "--from", "plan.yaml", "--json"))


def test_steps_typed_as_options_wait_for_each_other_and_are_not_verified_unless_it_is_said_how(lab: Desk) -> None:
    told = data(lab("plan", "new", T1, "--step", "a: echo 'one two'", "--step", "b: echo three", "--json"))
    assert told["remarks"] == [
        "verification is off: no step says how it is verified; --verify 'ID: COMMAND' does",
    ]
    shown = data(lab("plan", "show", T1, "--json"))
    assert shown["settings"] == {"enable_verification": False}
    assert [(each["id"], each["title"], each["waits_for"]) for each in shown["plan"]] == [
        ("a", "echo 'one two'", []),
        ("b", "echo three", ["a"]),
    ]
    assert data(lab("step", "show", T1, "a", "--json"))["definition"]["action"] == {"argv": ["echo", "one two"]}


def test_verified_independent_steps_with_few_retries(lab: Desk) -> None:
    steps = ("--step", "a: make", "--step", "b: make b", "--independent", "--verify", "a: true", "--verify", "b: true")
    told = data(lab("plan", "new", T1, *steps, "--max-retries", "1", "--objective", "Both", "--json"))
    assert told["remarks"] == []
    shown = data(lab("plan", "show", RUN, "--json"))
    assert (shown["objective"], shown["settings"]) == ("Both", {"max_retry_attempts": 1})
    assert [each["waits_for"] for each in shown["plan"]] == [[], []]


NO_STEPS: list[tuple[tuple[str, ...], str, int, str]] = [
    (("--step", "a echo"), "usage", 2, "is not 'ID: COMMAND'"),
    (("--step", "a: make && make test"), "usage", 2, "No shell reads this"),
    (("--step", "a: make", "--from", "x"), "usage", 2, "give one"),
    (("--template", "--step", "a: make"), "usage", 2, "give it alone"),
    (("--verify", "a: make"), "usage", 2, "go with --step"),
    (("--from", "nothing.yaml"), "usage", 2, "cannot be read"),
    (("--step", "a: make", "--step", "a: make"), "plan-invalid", 1, "stands twice"),
    (("--step", "A b: make"), "plan-invalid", 1, "lower-case letters"),
    (("--step", "a: make", "--verify", "b: true"), "plan-invalid", 1, "no step b"),
    (("--step", "a: make", "--step", "b: make", "--verify", "b: true"), "verify-missing", 2, "Nothing verifies a."),
]


def test_steps_that_make_no_plan_are_refused(lab: Desk) -> None:
    for arguments, code, exits, said in NO_STEPS:
        told = error(lab("plan", "new", T1, *arguments, "--json"), exits)
        assert told["code"] == code and said in told["message"], (arguments, told)
    assert data(lab("plan", "list", "--json"))["count"] == 0


def test_a_file_is_taken_as_it_was_typed_comments_and_all(lab: Desk) -> None:
    (lab.project / "plan.yaml").write_text(GOOD, encoding="utf-8")
    data(lab("plan", "new", T1, "--from", "plan.yaml", "--json"))
    text = plan_file(lab)
    assert text.endswith(GOOD) and "# the file is there" in text
    assert data(lab("plan", "show", T1, "--json"))["objective"] == "Have a guide"


def test_a_file_with_something_else_said_by_an_option_is_written_anew(lab: Desk) -> None:
    (lab.project / "plan.yaml").write_text(GOOD, encoding="utf-8")
    data(lab("plan", "new", T1, "--from", "plan.yaml", "--no-verify", "--json"))
    assert "enable_verification: false" in plan_file(lab)


def test_an_agent_proposes_a_plan_in_json(lab: Desk) -> None:
    step = {"id": "s", "title": "S", "action": {"argv": ["true"]}, "verify": [{"kind": "exit_code"}]}
    typed = json.dumps({"steps": [step]})
    told = data(lab("plan", "new", T1, "--from", "-", "--json", *BOT, typed=typed))
    assert told["actor"] == "agent:bot" and not plan_file(lab).splitlines()[-1].startswith("{")
    assert data(lab("plan", "show", T1, "--json"))["objective"] == "Write the guide"


FINE = '"id": "a", "title": "A", "action": {"argv": ["x"]}'
WRONG = [
    (f'{{"steps": [{{{FINE},\n"actoin": {{}}}}]}}', "plan-invalid", 2, "`steps[1].actoin` is not a field"),
    ('{"steps": [\n{"id": "a", "action": {"argv": ["x"]}}]}', "field-missing", 2, "steps[1].title"),
    (f'{{"steps": [{{{FINE},\n"cost": "much"}}]}}', "field-type", 2, "steps[1].cost"),
    ('{"run": "run-zzzzzzzz", "steps": []}', "field-value", 1, "run"),
    ("steps: [", "document-syntax", 1, "cannot be read"),
    ("[]", "document-root", 1, "fields"),
    (GOOD.replace("kind: command", "kind: comand"), "field-value", 7, "verify[1].kind"),
]


def test_a_proposal_that_is_wrong_is_refused_at_its_place(lab: Desk) -> None:
    for typed, code, line, said in WRONG:
        asked = lab("plan", "new", T1, "--from", "-", "--json", typed=typed)
        told = error(asked)
        assert (told["code"], told["place"]["path"], told["place"]["line"]) == (code, "stdin", line), told
        assert said in told["message"] and len(asked.out) < 1024
    assert data(lab("plan", "list", "--json"))["count"] == 0


def test_everything_wrong_with_a_plan_is_told_at_once_each_at_its_place(lab: Desk) -> None:
    (lab.project / "bad.yaml").write_text(BAD, encoding="utf-8")
    asked = lab("plan", "check", "bad.yaml", "--todo", T2, "--json").expect(1)
    assert asked.json["error"]["code"] == "problems-found"
    [told] = asked.json["data"]["plans"]
    found = {(each["code"], each["place"]["line"]) for each in told["problems"]}
    assert found == {
        ("plan-invalid", 4),  # the circle
        ("judge-invalid", 6),  # no pattern
        ("plan-invalid", 9),  # waits for z
        ("tool-unknown", 10),
        ("plan-invalid", 11),  # beyond what the Todo may write
        ("judge-invalid", 13),  # names nothing to compare with
        ("plan-invalid", 14),  # stands twice
        ("verify-missing", 14),
        ("plan-invalid", 16),  # requires what no Gate can cover
    }
    assert [each["code"] for each in told["warnings"]] == ["callable-unknown"]
    said = lab("plan", "check", "bad.yaml").expect(1).out
    assert "The steps a → b → a wait for each other." in said and "bad.yaml:4:17" in said
    assert said.endswith("bad.yaml: 8 problems\n"), "without a Todo there are no write scopes to pass"


def test_all_plans_that_have_not_ended_are_checked_where_none_is_named(lab: Desk) -> None:
    assert lab("plan", "check").expect().out == "no plan that has not ended\n"
    data(lab("plan", "new", T1, "--json"))
    data(lab("plan", "new", T2, "--json"))
    path = lab.file(f"goals/beta/plans/{T2}/*/plan.yaml")
    lab.write(path.relative_to(lab.root).as_posix(), path.read_text("utf-8").replace("value: hello", "value:"))
    asked = lab("plan", "check", "--json").expect(1)
    assert [len(each["problems"]) for each in asked.json["data"]["plans"]] == [0, 1]
    [problem] = asked.json["data"]["plans"][1]["problems"]
    assert problem["code"] == "judge-invalid" and problem["place"]["path"].endswith("plan.yaml")
    assert problem["place"]["line"] > 10
    assert error(lab("plan", "check", T1, "--todo", T2, "--json"), 2)["code"] == "usage"


def test_plans_are_listed_by_goal_and_todo(lab: Desk) -> None:
    assert lab("plan").expect().out == "no plans; `loopx plan new TODO`\n"
    data(lab("plan", "new", T1, "--json"))
    data(lab("plan", "new", T2, "--json"))
    assert f"{RUN}  not begun  0/1    {T1}  beta  Write the guide\n" in lab("plan", "list", "--goal", "beta").out
    found = data(lab("plan", "list", "--todo", T2, "--json"))
    assert [each["todo"] for each in found["plans"]] == [T2] and found["count"] == 1
    assert f"  runs        {RUN}  not begun, 0 of 1 steps complete\n" in lab("todo", "show", T1).out
    assert [each["id"] for each in data(lab("todo", "show", T1, "--json"))["runs"]] == [RUN]


def test_what_is_shown_of_a_plan_stays_small_however_long_it_is(lab: Desk) -> None:
    steps = [{"id": f"s{number}", "title": f"Step {number}", "action": {"argv": ["true"]}} for number in range(90)]
    typed = json.dumps({"steps": steps, "settings": {"enable_verification": False}})
    data(lab("plan", "new", T1, "--from", "-", "--json", typed=typed))
    told = data(lab("plan", "show", T1, "--json"))
    assert (len(told["plan"]), told["left_out"], told["steps"]) == (40, 50, 90)
    assert "and 50 more: --limit 90\n" in lab("plan", "show", T1).out
    assert data(lab("plan", "show", T1, "--limit", "90", "--json"))["left_out"] == 0


def test_a_graph_is_drawn_as_lines_as_mermaid_and_as_dot(lab: Desk) -> None:
    names = [f"step-{number:02d}" for number in range(29)]
    steps = [{"id": name, "title": f'Do "{name}"', "action": {"argv": ["true"]}} for name in names]
    last = {"id": "all", "title": "All", "action": {"argv": ["true"]}, "depends_on": names}
    typed = json.dumps({"steps": [*steps, last], "settings": {"enable_verification": False}})
    data(lab("plan", "new", T1, "--from", "-", "--json", typed=typed))
    lines = lab("plan", "graph", T1).expect().out.splitlines()
    assert max(map(len, lines)) <= 80 and lines[2] == "  1  pending  step-00"
    assert lines[31].startswith("  2  pending  all      ← step-00, step-01,") and len(lines) == 36
    told = data(lab("plan", "graph", T1, "--json"))
    assert told["steps"][-1]["level"] == 2 and len(told["edges"]) == 29
    mermaid = lab("plan", "graph", T1, "--format", "mermaid").expect().out
    assert mermaid.startswith("flowchart TD\n") and "  s1 --> s30\n" in mermaid and 'Do "step' not in mermaid
    dot = lab("plan", "graph", T1, "--format", "dot").expect().out
    assert f'digraph "{RUN}" {{' in dot and '  "step-00" -> "all";\n' in dot and '\\"step-00\\"' in dot


def test_a_todo_without_a_plan_or_with_several_is_not_guessed_about(lab: Desk) -> None:
    told = error(lab("plan", "show", T1, "--json"))
    assert told["code"] == "run-unknown" and f"loopx plan new {T1}" in told["hint"]
    data(lab("plan", "new", T1, "--json"))
    assert f"nobody has begun {RUN} either" in data(lab("plan", "new", T1, "--json"))["remarks"][-1]
    told = error(lab("plan", "graph", T1, "--json"))
    assert told["code"] == "id-ambiguous" and told["facts"]["candidates"] == [RUN, "run-a0000002"]
    for typed in ("run-zzzz", "t-zzzz", "zzzz"):
        assert error(lab("plan", "show", typed, "--json"))["code"] in ("run-unknown", "todo-unknown")
    assert data(lab("plan", "show", "A0000002", "--json"))["id"] == "run-a0000002"


def test_a_plan_is_changed_field_by_field(lab: Desk) -> None:
    data(lab("plan", "new", T1, "--step", "a: make", "--step", "b: make b", "--step", "c: make c", "--json"))
    changes = (
        ("--add-step", "d: make d", "--verify", "d: true", "--remove-step", "b", "--set", "steps.c.depends_on=[]"),
        ("--set", "settings.max_retry_attempts=2", "--set", "settings.budgets.steps=9", "--objective", "Done"),
        ("--set", "steps.a.action.timeout_seconds=5", "--set", "steps.a.optional=true", "--set", "steps.c.title=Go"),
        ("--set", "settings.max_retry_attempts=", "--add-step", "e: make e", "--independent"),
    )
    assert lab("plan", "edit", T1, *changes[0]).expect().out.startswith(f"plan {RUN} changed: steps · ")
    for each in changes[1:]:
        data(lab("plan", "edit", T1, *each, "--json"))
    shown = data(lab("plan", "show", T1, "--json"))
    assert (shown["objective"], shown["settings"]) == ("Done", {"enable_verification": False, "budgets": {"steps": 9}})
    steps = [(each["id"], each["title"], each["waits_for"]) for each in shown["plan"]]
    assert steps == [("a", "make", []), ("c", "Go", []), ("d", "make d", ["c"]), ("e", "make e", [])]
    told = data(lab("step", "show", T1, "a", "--json"))
    assert told["definition"]["action"]["timeout_seconds"] == 5 and told["optional"] is True


NO_CHANGE: list[tuple[tuple[str, ...], str, int]] = [
    ((), "usage", 2),
    (("--set", "steps.a.title"), "field-value", 1),
    (("--set", "title=x"), "field-value", 1),
    (("--set", "settings.max_retry_attempts=many"), "field-value", 1),
    (("--set", "settings.nothing=1"), "field-value", 1),
    (("--set", "settings.parallel.x=1"), "field-value", 1),
    (("--set", "steps.a.version=4"), "field-value", 1),
    (("--set", "steps.z.title=x"), "step-unknown", 1),
    (("--remove-step", "z"), "step-unknown", 1),
    (("--verify", "z: true"), "step-unknown", 1),
    (("--add-step", "a: make"), "plan-invalid", 1),
    (("--remove-step", "a"), "plan-invalid", 1),
]


def test_a_change_that_makes_no_plan_is_refused(lab: Desk) -> None:
    data(lab("plan", "new", T1, "--step", "a: make", "--step", "b: make b", "--json"))
    before = plan_file(lab)
    for arguments, code, exits in NO_CHANGE:
        assert error(lab("plan", "edit", T1, *arguments, "--json"), exits)["code"] == code, arguments
    assert plan_file(lab) == before


def test_a_change_that_keeps_the_plan_from_running_is_made_and_said(lab: Desk) -> None:
    data(lab("plan", "new", T1, "--json"))
    asked = lab("plan", "edit", T1, "--add-step", "more: make", "--json").expect()
    assert [each["code"] for each in asked.json["warnings"]] == ["verify-missing"]


def test_a_plan_is_replaced_by_another_text(lab: Desk) -> None:
    data(lab("plan", "new", T1, "--step", "a: make", "--json"))
    data(lab("plan", "edit", T1, "--from", "-", "--json", *BOT, typed=GOOD))
    shown = data(lab("plan", "show", T1, "--json"))
    assert [each["id"] for each in shown["plan"]] == ["write"] and shown["objective"] == "Have a guide"
    assert shown["settings"] == {"enable_verification": False}, "what it says nothing of stays"
    assert error(lab("plan", "edit", T1, "--from", "-", "--json", typed="steps: 3"))["place"]["line"] == 1


OLD = {
    "goal": "Ship it",
    "steps": [
        {"id": 1, "title": "Begin", "status": "completed", "verification_passed": True, "output": "ok"},
        {"id": 2, "title": "Go on", "status": "failed", "command": "make", "dependencies": [1]},
        {"id": 3, "title": "End", "dependencies": [2]},
    ],
}


def test_an_old_plan_is_shown_and_taken_over(lab: Desk) -> None:
    (lab.project / "old.json").write_text(json.dumps(OLD), encoding="utf-8")
    said = lab("plan", "migrate", "old.json").expect().out
    assert "s2    failed in the old plan     evaluation_failed" in said and "nothing was made" in said
    assert data(lab("plan", "list", "--json"))["count"] == 0
    told = data(lab("plan", "migrate", "-", "--todo", T1, "--json", typed=json.dumps(OLD)))
    assert (told["run"], told["todo"]) == (RUN, T1)
    shown = data(lab("plan", "show", RUN, "--json"))
    assert [each["status"] for each in shown["plan"]] == ["verified_completed", "evaluation_failed", "pending"]
    assert [each["type"] for each in shown["failures"]] == ["evaluation_failed"]
    assert lab("plan", "check", RUN).expect().out == f"{RUN}: it can be carried out\n"
    assert lab("trace", "verify", RUN).expect().out.startswith(f"run {RUN}: all ")


def test_an_old_plan_may_be_yaml_and_a_word_nobody_knows_is_named(lab: Desk) -> None:
    told = data(lab("plan", "migrate", "-", "--json", typed="steps:\n  - id: a\n    status: in_progress\n"))
    assert [each["status"] for each in told["steps"]] == ["in_progress"]
    found = error(lab("plan", "migrate", "-", "--json", typed='{"steps": [{"id": "a", "status": "done"}]}'))
    assert found["code"] == "plan-invalid" and "'done'" in found["message"]
    found = error(lab("plan", "migrate", "-", "--json", typed="steps: ["))
    assert found["code"] == "document-syntax" and found["place"]["path"] == "stdin"


def test_plans_are_on_the_page_of_their_goal_in_the_log_and_offered_to_shells(lab: Desk) -> None:
    lab("plan", "new", T1, "--step", "a: true", "--render").expect()
    page = lab.file("status/goals/beta.md").read_text(encoding="utf-8")
    assert "## Runs (1)" in page and f"[{RUN}](../../goals/beta/plans/{T1}/{RUN}/plan.yaml)" in page
    assert "| not begun | 0 of 1 |" in page
    assert f"plan: new {RUN}" in lab("log", "run-").expect().out
    line = "loopx plan show "
    environ = {"_LOOPX_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": "3"}
    said = run_loopx(cwd=lab.project, environment=environ).expect().out
    assert {each.partition(",")[2] for each in said.splitlines() if each} == {RUN, T1, T2}
