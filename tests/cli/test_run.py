"""``loopx run`` and ``loopx recover`` as whoever types them sees it: real commands and signals, a clock that stands."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Asked, Desk

ME = {"ME": str(os.getpid())}
"""For steps that send a signal to whoever carries them out."""


def planned(desk: Desk, title: str, *steps: str, todo: tuple[str, ...] = (), plan: tuple[str, ...] = ()) -> str:
    """A Todo with a plan of commands, one after the other; nothing is verified unless ``plan`` says so."""
    added = desk("todo", "add", title, "--goal", "beta", *todo, "--json").expect().json
    identity = str(added["data"]["result"]["id"])
    options = [each for step in steps for each in ("--step", step)]
    desk("plan", "new", identity, *options, *(plan or ("--no-verify",))).expect()
    return identity


def said(asked: Asked, code: int = 0) -> str:
    """What was said, without times, ids of turns and revisions."""
    asked.expect(code)
    return re.sub(r"\d\d:\d\d:\d\d  ", "", asked.text)


def runs(asked: Asked, code: int = 0) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked.expect(code).json["data"]["runs"]
    return found


def retype(desk: Desk, old: str, new: str) -> None:
    """Change the plan's text by hand."""
    file = desk.file("goals/beta/plans/*/*/plan.yaml")
    desk.write(file.relative_to(desk.root).as_posix(), file.read_text("utf-8").replace(old, new))


def headlines(desk: Desk) -> list[str]:
    """What history tells, oldest first."""
    return [each["headline"] for each in reversed(desk("log", "--all", "--json").expect().json["data"]["entries"])]


def test_a_plan_is_carried_out_and_every_line_says_something(desk: Desk) -> None:
    todo = planned(
        desk,
        "Write it",
        "make: sh -c 'mkdir -p out && echo hello >out/a'",
        "look: cat out/a",
        todo=("--write-scope", "out/**", "--validate", "test -s out/a"),
        plan=("--verify", "make: test -s out/a", "--verify", "look: true"),
    )
    assert said(desk("run", todo)) == (
        "run run-a0000001  completed  Write it\n"
        "  steps       2 of 2 done · 2 executions, 0.0 s\n"
        "  verified    verified\n"
        "  todo        t-a0000001 is done\n"
        "--- 0\n"
        "run-a0000001  Write it  (2 steps, t-a0000001)\n"
        "make              runs\n"
        "make              done\n"
        "look              runs\n"
        "look              done\n"
    )
    evidence = desk("evidence", "list", "--about", todo, "--json").expect().json["data"]["evidence"]
    assert {(each["kind"], each["result"]) for each in evidence} == {("validation", "passed"), ("delivery", "passed")}
    assert 'run: finished run-a0000001 "completed"' in headlines(desk)


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(desk: Desk) -> None:
    todo = planned(desk, "Write it", "one: true", "two: false")
    before = desk("log", "--json").out
    text = said(desk("run", todo, "--dry-run"))
    assert "  would       begin run-a0000001, for t-a0000001\n  1. one      true  [command] true\n" in text
    assert desk("log", "--json").out == before
    desk("run", todo, "--max-steps", "1").expect()
    text = said(desk("run", "--dry-run"))
    assert "go on with run-a0000001" in text and "1. two" in text and "one " not in text
    assert desk("run", todo, "--dry-run", "--json").expect().json["data"]["waves"] == [["two"]]


@pytest.mark.parametrize("limit", [("--max-steps", "1"), ("--max-seconds", "0"), ("--max-cost", "1")])
def test_a_run_is_left_as_asked_and_gone_on_with(desk: Desk, limit: tuple[str, str]) -> None:
    todo = planned(desk, "Write it", "one: true", "two: true")
    retype(desk, "    title:", "    cost: 0.8\n    title:")
    [run] = runs(desk("run", todo, *limit, "--json"))
    assert (run["is_finished"], run["left_off"], run["todo_became"]) == (False, "allowance", None)
    assert "under way" in said(desk("run", todo, "--max-steps", "0"))
    [run] = runs(desk("run", "run-a0000001", "--json"))
    assert (run["state"], run["executions"], run["todo_became"]) == ("completed", 2, "done")


def test_a_goal_is_gone_on_with_as_long_as_it_delivers(desk: Desk) -> None:
    todos = [planned(desk, each, "make: true") for each in ("One", "Two", "Three")]
    desk("todo", "add", "Four", "--goal", "beta").expect()
    assert [each["todo"] for each in runs(desk("run", "beta", "--once", "--json"))] == todos[:1]
    rest = desk("run", "--json").expect(1)
    assert [each["todo"] for each in rest.json["data"]["runs"]] == todos[1:]  # told although the fourth has no plan
    assert rest.json["error"]["code"] == "run-unknown"
    assert len(rest.out) < 2500


def test_what_ends_a_goal_is_said_below_what_was_done(desk: Desk) -> None:
    planned(desk, "One", "make: true")
    assert "\nthen: replan: Nothing is left to do" in said(desk("run", "beta"))
    assert "goal beta  replan" in said(desk("run", "beta"))  # nothing to carry out: what is called for instead


def test_steps_run_side_by_side_where_asked(desk: Desk) -> None:
    meets = "sh -c 'touch {0}; n=0; until test -f {1}; do n=$((n+1)); test $n -lt 500 || exit 1; sleep 0.01; done'"
    steps = (f"one: {meets.format('x', 'y')}", f"two: {meets.format('y', 'x')}")
    todo = planned(desk, "Meet", *steps, plan=("--no-verify", "--independent"))
    retype(desk, "    title:", "    effects: [read]\n    title:")  # what may write anything goes alone
    [run] = runs(desk("run", todo, "--parallel", "2", "--json"))
    assert (run["state"], run["executions"]) == ("completed", 2)


def test_a_failure_is_told_with_its_reason_and_a_person_asked(desk: Desk) -> None:
    todo = planned(desk, "Fail", "look: cat nothing", plan=("--no-verify", "--max-retries", "1"))
    told = "it ended with 1, not 0: cat: nothing: No such file or directory"
    assert said(desk("run", todo)) == (
        "run run-a0000001  waiting for human  Fail\n"
        "  steps       0 of 1 done · 2 executions, 0.0 s · 2 recoveries\n"
        "  verified    disabled\n"
        "  now         waits for a person\n"
        f"  asked       What about step look (cat nothing)? {told}\n"
        "  answer      loopx gate approve g-a0000001 "
        '--option retry|replan|skip|change_tool|change_model|abstain|abort --reason "…"\n'
        "  todo        t-a0000001 is deferred\n"
        "--- 0\n"
        "run-a0000001  Fail  (1 step, t-a0000001)\n"
        "look              runs\n"
        f"look              rejected: {told}\n"
        "                  recovery: retry\n"
        "look              will be tried again\n"
        "look              runs\n"
        f"look              rejected: {told}\n"
        "                  recovery: request_human\n"
    )
    assert "error[run-waiting]" in said(desk("run", todo), 1)
    summaries = [each["summary"] for each in desk("evidence", "list", "--json").json["data"]["evidence"]]
    assert summaries == ["run-a0000001 is waiting_for_human: 0 of 1 steps are done so far."]
    assert [each for each in headlines(desk) if each.startswith("run: recover")] == [
        'run: recovery_decided run-a0000001 "look: retry chosen"',
        'run: recovered run-a0000001 "look: retry succeeded"',
        'run: recovery_decided run-a0000001 "look: request_human chosen"',
        'run: recovered run-a0000001 "look: request_human succeeded"',
    ]


@pytest.mark.parametrize(("answer", "ends"), [("abort", 5), ("retry", 0), (None, 5)])
def test_an_answer_is_taken_up_by_whoever_comes_next(desk: Desk, answer: str | None, ends: int) -> None:
    todo = planned(desk, "Fail", "look: cat wanted", plan=("--no-verify", "--max-retries", "0"))
    desk("run", todo).expect()
    (desk.project / "wanted").write_text("there\n")
    verb = ("approve", "g-a0000001", "--option", answer) if answer is not None else ("reject", "g-a0000001")
    desk("gate", *verb, "--reason", "So it is", "--confirm", "g-a0000001").expect()
    assert desk("run", "beta", "--dry-run", "--json").expect().json["data"]["gates"] == []
    asked = desk("run", "beta", "--once", "--json")
    [run] = runs(asked, ends)
    assert (asked.json.get("error") or {}).get("code") == ("run-not-completed" if ends else None)
    assert (run["state"], run["todo_became"]) == (("completed", "done") if ends == 0 else ("failed", "blocked"))
    assert desk("run", todo).expect(1).err.startswith("error[todo-closed]" if ends == 0 else "error[run-over]")
    assert desk("run", "run-a0000001").expect(1).err.startswith("error[run-over]")


def test_what_keeps_a_named_todo_back_is_an_error(desk: Desk) -> None:
    todo = planned(desk, "Publish", "make: true", todo=("--requires", "production:goal:beta"))
    assert "requires production:goal:beta, which no approved Gate covers" in said(desk("run", todo), 1)
    desk("gate", "open", "--goal", "beta", "--scope", "production:goal:beta", "--question", "May it?").expect()
    assert 'Gate g-a0000001 "May it?" waits for a person' in said(desk("run", todo), 1)
    assert 'would       refuse t-a0000001: Gate g-a0000001 "May it?"' in said(desk("run", todo, "--dry-run"))
    assert "goal beta  ask_user" in said(desk("run"))  # nobody in particular was meant: what is called for is said
    desk("gate", "approve", "g-a0000001", "--reason", "Yes", "--confirm", "g-a0000001").expect()
    desk("lease", "acquire", todo, "--key", "k-its-own", "--actor", "agent:bot").expect(1)
    desk("agent", "add", "bot").expect()
    desk("lease", "acquire", todo, "--key", "k-its-own", "--actor", "agent:bot").expect()
    assert "is executed by bot" in said(desk("run", todo), 3)
    assert "error[lease-held-by-you]" in said(desk("run", todo, "--actor", "agent:bot"), 1)
    assert "error[lease-key-wrong]" in said(desk("run", todo, "--actor", "agent:bot", "--lease", "k-other"), 1)
    told = said(desk("run", todo, "--actor", "agent:bot", environ={"LOOPX_LEASE_KEY": "k-its-own"}))
    assert "t-a0000001 is done" in told
    planned(desk, "Two", "make: true")
    goal = desk.file("goals/beta/goal.md")
    desk.write("goals/beta/goal.md", goal.read_text("utf-8").replace("acceptance:", "quota: {compute: 1}\nacceptance:"))
    refused = desk("run", "t-a0000002", "--json").expect(1).json["error"]
    assert (refused["code"], refused["facts"]["mode"]) == ("todo-not-runnable", "throttled")


def test_what_is_carried_out_is_what_its_author_sees(desk: Desk) -> None:
    todo = planned(desk, "Edit", "one: true", "two: true")
    file = desk.file("goals/beta/plans/*/*/plan.yaml")
    text, path = file.read_text("utf-8"), file.relative_to(desk.root).as_posix()
    desk.write(path, text.replace('id: "one"', 'id: "two"'))
    refused = desk("run", todo, "--json").expect(1).json["error"]
    assert (refused["code"], refused["facts"]["path"], refused["place"]["line"]) == ("plan-edit-waits", path, 7)
    assert "The step two stands twice." in refused["message"]
    desk.write(path, text.replace('title: "true"', "title: Say so\n    tool: nothing"))
    unknown = desk("run", todo).expect(2).err
    assert "one: workspace.yaml names no tool nothing" in unknown
    assert "turn: open" not in desk("log").out  # nothing was begun
    saved = desk.write(path, text.replace('- "true"', '- "echo"\n        - "just now"'))
    os.utime(saved, (desk.clock.now().timestamp(),) * 2)
    assert "completed" in said(desk("run", todo))  # saved a moment ago: waited for
    assert "just now" in desk("step", "show", todo, "one").expect().out


def test_a_run_that_ends_otherwise_says_why(desk: Desk) -> None:
    todo = planned(desk, "Six", "make: true", todo=("--validate", "test -f never"))
    text = said(desk("run", todo), 5)
    assert "run run-a0000001  completed" in text and "[validation-failed] test ended with status 1." in text
    assert "then        loopx todo done t-a0000001" in text
    (desk.project / "never").touch()
    desk("todo", "done", todo).expect()


def test_what_follows_and_what_is_met_is_said_beforehand(desk: Desk) -> None:
    todo = planned(desk, "Five", "make: true", todo=("--accept", "a1", "--validate", "true"))
    desk("run", todo, "--successor", "And then", "--meets", "a1", "--vision-unchanged-reason", "As planned").expect()
    titles = {each["title"]: each["status"] for each in desk("todo", "list", "--all", "--json").json["data"]["todos"]}
    assert titles == {"Five": "done", "And then": "open"}
    assert desk("goal", "show", "beta", "--json").json["data"]["criteria"][0]["status"] == "met"
    last = planned(desk, "Last", "make: true")
    desk("run", last, "--no-follow-up", "That was all").expect()
    assert desk("todo", "show", last, "--json").json["data"]["completions"][0]["reason"] == "That was all"


def test_the_first_ctrl_c_lets_steps_end(desk: Desk) -> None:
    todo = planned(desk, "Stop", "one: sh -c 'kill -INT $ME; sleep 0.1'", "two: true")
    text = said(desk("run", todo, environ=ME), 130)
    assert "Stopping once the steps that run have ended; again to end them now.\none               done\n" in text
    assert "1 of 2 done" in text and "stopped as you asked; `loopx run run-a0000001` goes on with it" in text
    [run] = runs(desk("run", todo, "--json"))
    assert (run["state"], run["executions"]) == ("completed", 2)


def test_the_second_ctrl_c_ends_them_and_nobody_pretends_to_know(desk: Desk) -> None:
    script = "test -f again && exit; touch again; kill -INT $ME; sleep 0.1; kill -INT $ME; exec sleep 60"
    todo = planned(desk, "Stop", f"one: sh -c '{script}'", "two: true")
    text = said(desk("run", todo, environ=ME), 130)
    assert "cut short   one; nobody saw how it ended" in text
    text = said(desk("recover"))
    assert "one               recovering: nobody saw its end" in text and "waits for a person" in text
    desk("gate", "approve", "g-a0000001", "--option", "retry", "--reason", "Go", "--confirm", "g-a0000001").expect()
    assert "left as you asked" in said(desk("recover", todo))  # the answer is taken in, and nothing begun
    assert "completed" in said(desk("run", todo))
    assert said(desk("recover")) == "No run was left: nothing to recover.\n--- 0\n"
    assert desk("recover", "beta").expect(1).err.startswith("error[run-unknown]")


PLANNER = """
import json, sys
asked = json.load(sys.stdin)
if asked["asked"] == "create_plan":
    assert asked["objective"] == "Plan it" and asked["todo"]
    test = [{"kind": "exit_code"}]
    print(json.dumps({"steps": [{"id": "only", "title": "Do it", "action": {"argv": ["true"]}, "verify": test}]}))
else:
    step = asked["step"]["step"]
    step["action"]["argv"] = ["true"]
    print(json.dumps({"step": step}))
"""


@pytest.mark.parametrize("named", [(), ("--planner", "clever")])
def test_a_tool_plans_anew_what_failed(desk: Desk, named: tuple[str, ...], tmp_path: Path) -> None:
    import sys

    (tmp_path / "plan.py").write_text(PLANNER)
    file = desk.root / "workspace.yaml"
    name = named[-1] if named else "planner"
    tools = json.dumps([{"name": name, "argv": [sys.executable, str(tmp_path / "plan.py")]}])
    desk.write("workspace.yaml", f"{file.read_text('utf-8')}tools: {tools}\n")
    added = desk("todo", "add", "Plan it", "--goal", "beta", "--requires", "production:goal:beta", "--json").json
    bare = str(added["data"]["result"]["id"])
    assert "requires production:goal:beta" in said(desk("run", bare, *named), 1)  # nobody plans what may not begin
    assert desk("plan", "list", "--json").json["data"]["plans"] == []
    desk("todo", "cancel", bare, "--reason", "Not this one").expect()
    bare = str(desk("todo", "add", "Plan it", "--goal", "beta", "--json").json["data"]["result"]["id"])
    assert f"have {name} plan {bare}, and carry that out" in said(desk("run", bare, *named, "--dry-run"))
    assert "1 of 1 done" in said(desk("run", bare, *named))
    todo = planned(desk, "Replan", "one: false", "two: true", plan=("--no-verify", "--max-retries", "0"))
    text = said(desk("run", todo, *named))
    assert "recovery: replan_step\none               failed: replaced by one-v2\n" in text and "completed" in text
    if named:
        assert desk("run", todo, "--planner", "nobody").expect(1).err.startswith("error[todo-closed]")
        other = planned(desk, "Other", "one: true")
        assert desk("run", other, "--planner", "nobody").expect(2).err.startswith("error[tool-unknown]")


def test_on_a_terminal_a_table_keeps_itself_up_to_date_and_goes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    steps = [f"s{number}: true" for number in range(14)]
    todo = planned(desk, "Many", *steps[:-1], "last: sh -c 'kill -INT $ME'")
    shown = desk("run", todo, terminal=True, environ={**ME, "TERM": "xterm"})
    assert shown.code == 130 and "14 of 14 done" in shown.out
    table = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.err)
    assert re.search(r"run-a0000001  Many  \d+ %  .*\n  s\d+ +true +(runs|done|passed|ready|pending)", table)
    assert "Stopping once the steps that run have ended" in table
    assert all(len(frame.splitlines()) <= 14 for frame in table.split("run-a0000001  Many"))  # twelve steps at most
    assert shown.err.endswith("\x1b[2K")  # it was taken away


def test_a_planner_is_stopped_like_a_step(desk: Desk) -> None:
    script = "kill -INT $ME; sleep 0.1; kill -INT $ME; exec sleep 60"
    tools = json.dumps([{"name": "planner", "argv": ["sh", "-c", script]}])
    desk.write("workspace.yaml", f"{(desk.root / 'workspace.yaml').read_text('utf-8')}tools: {tools}\n")
    todo = str(desk("todo", "add", "Plan it", "--goal", "beta", "--json").json["data"]["result"]["id"])
    assert (
        f"error[interrupted]: The planner of {todo} was interrupted." in desk("run", todo, environ=ME).expect(130).err
    )
    assert desk("plan", "list", "--json").json["data"]["plans"] == []


def test_what_may_be_meant_otherwise_is_remarked_on(desk: Desk) -> None:
    todo = planned(desk, "Careful", "one: true", "two: true", plan=("--no-verify", "--independent"))
    [checked] = desk("plan", "check", todo, "--json").expect().json["data"]["plans"]
    assert checked["warnings"] == []
    retype(desk, "    title:", "    evaluate: [{kind: contains, value: yes}]\n    title:")
    retype(desk, "  enable_verification: false", "  enable_verification: false\n  parallel: 2")
    [checked] = desk("plan", "check", todo, "--json").expect().json["data"]["plans"]
    told = [(each["code"], each["message"].partition(";")[0], each["place"]["line"]) for each in checked["warnings"]]
    alone = "it names no write scopes, so that nothing else that writes is run beside it."
    assert told == [
        ("plan-remark", f"one: {alone}", 7),
        ("plan-remark", "one: its exit status is not looked at", 8),
        ("plan-remark", f"two: {alone}", 13),
        ("plan-remark", "two: its exit status is not looked at", 14),
    ]
