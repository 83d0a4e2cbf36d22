"""Agents, monitors, effects, proposals and handoffs at the terminal."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Desk

TODO, OTHER = "t-a0000001", "t-a0000002"
CLAUDE, REX = ("--actor", "agent:claude"), ("--actor", "agent:rex")
SITE = "https://example.org"


@pytest.fixture
def staffed(desk: Desk) -> Desk:
    """With two agents and one Todo."""
    desk("agent", "add", "claude", "--capability", "python").expect()
    desk("agent", "add", "rex").expect()
    desk("todo", "add", "Write", "--goal", "beta").expect()
    return desk


@pytest.fixture
def watching(desk: Desk) -> Desk:
    """With one monitor."""
    words = ("--class", "monitor", "--target", SITE, "--cadence", "6h")
    desk("todo", "add", "Watch the site", "--goal", "beta", *words).expect()
    return desk


# agents --------------------------------------------------------------------------------------


def test_agents_are_listed_with_what_they_hold(staffed: Desk) -> None:
    staffed("todo", "claim", TODO, *CLAUDE).expect()
    assert staffed("agent").text == (
        "ID      CLAIMS  LEASES  GOALS  CAPABILITIES\n"
        "claude  1       0       any    python\n"
        "rex     0       0       any\n"
        "--- 0\n"
    )
    told = staffed("agent", "show", "claude", "--json").json["data"]
    assert (told["capabilities"], told["claims"][0]["id"]) == (["python"], TODO)
    assert staffed("agent", "list", "--goal", "nowhere").expect(1).err.startswith("error[goal-unknown]")


def test_an_agent_takes_part_in_a_goal_and_leaves_it(staffed: Desk) -> None:
    said = staffed("agent", "add", "claude", "--goal", "beta", "--vision", "required", "--role-scope", "Docs").expect()
    assert said.out.startswith("agent claude added · ")
    assert "agents-named" in said.err, "rex is out from now on, and that is said"
    assert staffed("agent", "list", "--goal", "beta", "--json").json["data"]["count"] == 1
    staffed("agent", "edit", "claude", "--goal", "beta", "--mode", "monitor_only", "--role-scope", "").expect()
    assert staffed("agent", "show", "claude").text == (
        "agent claude\n  capabilities python\n  takes part  beta  monitor_only, Vision required\n--- 0\n"
    )
    staffed("agent", "add", "rex", "--goal", "beta").expect()
    staffed("todo", "claim", TODO, *CLAUDE).expect()
    gone = staffed("agent", "remove", "claude", "--goal", "beta", "--reason", "Gone").expect()
    assert f"unclaimed {TODO}" in gone.out
    assert staffed("todo", "show", TODO, "--json").json["data"]["claimed_by"] is None
    assert staffed("agent", "remove", "rex", "--goal", "beta", "--json").expect(1).json["error"]["code"] == "agent-last"


def test_only_people_say_who_works_here(staffed: Desk) -> None:
    for words in (("add", "tom"), ("edit", "rex", "--add-capability", "go"), ("remove", "rex")):
        said = staffed("agent", *words, *CLAUDE, "--json").expect(1)
        assert said.json["error"]["code"] == "actor-not-permitted"
    assert staffed("agent", "edit", "rex").expect(2).err.startswith("error[usage]: Nothing to change was given")
    assert staffed("agent", "show", "tom", "--json").expect(1).json["error"]["code"] == "agent-unregistered"
    assert staffed("agent", "add", "Mr Tom", "--json").expect(1).json["error"]["code"] == "agent-invalid"


def test_the_file_names_the_agents_and_keeps_everything_else(staffed: Desk) -> None:
    file = staffed.root / "workspace.yaml"
    before = file.read_text("utf-8")
    assert "agents:" in before and '- id: "claude"' in before
    staffed("agent", "edit", "claude", "--add-capability", "go", "--remove-capability", "python").expect()
    staffed("agent", "remove", "rex").expect()
    after = file.read_text("utf-8")
    assert "rex" not in after and "python" not in after and "go" in after
    assert before.split("agents:")[0].split("rev:")[0] == after.split("agents:")[0].split("rev:")[0]


# monitors ------------------------------------------------------------------------------------


def test_monitors_are_listed_by_when_they_are_due(watching: Desk) -> None:
    words = ("--class", "monitor", "--target", "x", "--cadence", "1d", "--watch-only")
    watching("todo", "add", "Watch the price", "--goal", "beta", *words).expect()
    watching("monitor", "poll", TODO, "--target", SITE, "--seen", "200 OK", *CLAUDE).expect()
    assert watching("monitor").text == (
        "ID          DUE                   UNCHANGED  DEAD  GOAL  TITLE\n"
        "t-a0000002  now                   0          0     beta  Watch the price\n"
        "t-a0000001  2026-03-02T15:00:00Z  0          0     beta  Watch the site\n"
        "--- 0\n"
    )
    watching.clock.advance(hours=12)
    told = watching("monitor", "list", "--due", "--json").json["data"]["monitors"]
    assert [(each["id"], each["is_overdue"]) for each in told] == [(TODO, True), (OTHER, False)]
    watching("todo", "done", OTHER).expect()
    assert OTHER not in watching("monitor").out and OTHER in watching("monitor", "--all").out


def test_a_look_says_what_it_found_and_when_the_next_one_is_due(watching: Desk) -> None:
    first = watching("monitor", "poll", TODO, "--target", SITE, "--seen", "-", typed="200 OK\n").expect()
    assert first.out.startswith(f"todo {TODO} looked at · result unchanged · number 1 · next due at 2026-03-02T15:00")
    again = watching("monitor", "poll", TODO, "--target", SITE, "--seen", "200 OK").expect()
    assert "unchanged count 1" in again.out and "monitor-early" in again.err
    changed = ("monitor", "poll", TODO, "--target", SITE, "--seen", "503")
    assert watching(*changed, "--json").expect(1).json["error"]["code"] == "monitor-successor-missing"
    watching(*changed, "--successor", "Bring it back", "--summary", "It answers 503").expect()
    watching("monitor", "poll", TODO, "--target", SITE, "--dead").expect()
    assert watching("monitor", "show", TODO).text == (
        "monitor t-a0000001  Watch the site\n"
        "  status      open — It is looked at every 6h, next at 2026-03-02T15:00:00Z.\n"
        "  target      https://example.org\n"
        "  cadence     6h\n"
        "  goal        beta\n"
        "  successors  t-a0000002\n"
        "  polls       4\n"
        "  last polled at 2026-03-02T09:00:00Z\n"
        "  dead        1 look in a row could read nothing\n"
        "  look        2026-03-02T09:00:00Z  dead by human:Test Person: -\n"
        "  look        2026-03-02T09:00:00Z  material by human:Test Person: It answers 503 → t-a0000002\n"
        "  look        2026-03-02T09:00:00Z  unchanged by human:Test Person: 200 OK\n"
        "  look        2026-03-02T09:00:00Z  unchanged by human:Test Person: 200 OK\n"
        "--- 0\n"
    )


def test_the_wrong_target_and_what_is_no_monitor_are_refused(watching: Desk) -> None:
    watching("todo", "add", "Write", "--goal", "beta").expect()
    poll = ("monitor", "poll", TODO, "--json")
    assert watching(*poll, "--target", "x", "--seen", "y").expect(1).json["error"]["code"] == "monitor-target-mismatch"
    assert watching("monitor", "show", OTHER, "--json").expect(1).json["error"]["code"] == "todo-not-monitor"
    assert watching("todo", "add", "W", "--goal", "beta", "--class", "monitor", "--json").expect(1).json["error"][
        "code"
    ] in ("target-missing", "cadence-invalid")


def test_a_monitor_made_by_hand_without_a_cadence_is_taken_in_and_told_of(desk: Desk) -> None:
    desk.write("goals/beta/todos/watch.md", "---\ntitle: Watch\nclass: monitor\ntarget: x\n---\n")
    said = desk("monitor", "list")
    assert "Watch" in said.out and "now" in said.out
    assert "monitor-incomplete" in desk("check").text
    path = desk.file("goals/beta/todos/watch.md")
    desk.write("goals/beta/todos/watch.md", path.read_text("utf-8").replace("target: x", "target: x\ncadence: soon"))
    told = desk("edit", "--json").json["data"]["edits"][0]["problems"][0]
    assert (told["code"], told["place"]["path"]) == ("cadence-invalid", "goals/beta/todos/watch.md")


# effects -------------------------------------------------------------------------------------


def test_an_effect_from_the_intent_to_what_must_hold_after_it(staffed: Desk) -> None:
    words = ("--goal", "beta", "--todo", TODO, "--readback", "pip index versions x", "--readback-after", "10m")
    said = staffed("effect", "open", "Publish 1.0", *words, "--postcondition", "The page shows it", *CLAUDE).expect()
    assert said.out.startswith("effect x-a0000001 opened · readback due at 2026-03-02T09:10:00Z")
    assert staffed("effect").text == (
        "ID          STATUS   LEFT  AGENT   GOAL  SUMMARY\n"
        "x-a0000001  unknown  0/1   claude  beta  Publish 1.0\n"
        "--- 0\n"
    )
    again = staffed("effect", "open", "Publish again", "--goal", "beta", "--todo", TODO, *CLAUDE, "--json").expect(3)
    assert again.json["error"]["code"] == "effect-unsettled"
    settle = ("effect", "settle", "x-a0000001", "--status", "confirmed")
    assert staffed(*settle, *CLAUDE, "--json").expect(1).json["error"]["code"] == "effect-unproven"
    staffed(*settle, "--evidence", "The registry lists 1.0", *CLAUDE).expect()
    assert staffed("effect", "list", "--json").json["data"]["effects"][0]["left"] == 1
    own = ("effect", "confirm", "x-a0000001", "1", "--evidence", "I saw it")
    assert staffed(*own, *CLAUDE, "--json").expect(1).json["error"]["code"] == "postcondition-unproven"
    staffed(*own).expect()
    assert staffed("effect").out == "no effects\n"
    assert staffed("effect", "show", "x-a0000001").text == (
        "effect x-a0000001  Publish 1.0\n"
        "  status      confirmed — It happened.\n"
        "  agent       claude\n"
        "  todo        t-a0000001\n"
        "  readback    pip index versions x\n"
        "  readback due at 2026-03-02T09:10:00Z\n"
        "  opened at   2026-03-02T09:00:00Z\n"
        f"  opened by   {opened_by(staffed)}\n"
        "  settled at  2026-03-02T09:00:00Z\n"
        f"  settled by  {settled_by(staffed)}\n"
        "  evidence    e-a0000001\n"
        "  goal        beta\n"
        "  must hold   1. The page shows it — seen by human:Test Person\n"
        "--- 0\n"
    )


def opened_by(desk: Desk) -> str:
    return str(desk("effect", "show", "x-a0000001", "--json").json["data"]["opened_by"])


def settled_by(desk: Desk) -> str:
    return str(desk("effect", "show", "x-a0000001", "--json").json["data"]["settled_by"])


def test_a_length_of_time_is_typed_as_one(staffed: Desk) -> None:
    said = staffed("effect", "open", "Publish", "--goal", "beta", "--readback-after", "soon").expect(2)
    assert "no length of time" in said.err


# proposals -----------------------------------------------------------------------------------


def test_a_proposal_waits_for_a_person(staffed: Desk) -> None:
    staffed("proposal", "add", "Try a queue", "--goal", "beta", "--body", "-", *CLAUDE, typed="Peaks.\n").expect()
    assert staffed("proposal").text == (
        "ID          STATUS    BY            GOAL  TITLE\n"
        "p-a0000001  proposed  agent:claude  beta  Try a queue\n"
        "--- 0\n"
    )
    assert staffed("proposal", "accept", "p-a0000001", *CLAUDE, "--json").expect(1).json["error"]["code"] == (
        "actor-not-permitted"
    )
    said = staffed("proposal", "accept", "p-a0000001").expect()
    assert said.out.startswith(f"proposal p-a0000001 accepted · todo {OTHER}")
    assert staffed("todo", "show", OTHER, "--json").json["data"]["body"] == "Peaks."
    assert staffed("proposal").out == "no proposals\n"
    assert staffed("proposal", "show", "p-a0000001").text == (
        "proposal p-a0000001  Try a queue\n"
        "  status      accepted\n"
        "  proposed by agent:claude\n"
        "  decided by  human:Test Person\n"
        "  todo        t-a0000002\n"
        "  created at  2026-03-02T09:00:00Z\n"
        "  goal        beta\n"
        "\n"
        "  Peaks.\n"
        "--- 0\n"
    )
    staffed("proposal", "add", "Rewrite it all", "--goal", "beta", *CLAUDE).expect()
    staffed("proposal", "reject", "p-a0000002", "--reason", "No", *CLAUDE).expect()
    assert "rejected" in staffed("proposal", "--all").out
    assert staffed("log", "p-a0000002", "--json").json["data"]["count"] == 2


# handoffs ------------------------------------------------------------------------------------


def test_work_is_offered_shown_and_taken_on(staffed: Desk) -> None:
    staffed("todo", "claim", TODO, *CLAUDE).expect()
    words = ("--goal", "beta", "--todo", TODO, "--to", "rex", "--next-action", "Write chapter two")
    more = ("--stop-condition", "When it is in", "--omitted", "The notes: ask Ann")
    said = staffed("handoff", "create", *words, *more, *CLAUDE).expect()
    assert said.out.startswith(f"handoff h-a0000001 offered · to rex · todos {TODO}")
    assert staffed("handoff", "list", "--to", "rex").text == (
        "ID          STATUS   FROM          TO   TODOS       NEXT\n"
        "h-a0000001  offered  agent:claude  rex  t-a0000001  Write chapter two\n"
        "--- 0\n"
    )
    told = staffed("handoff", "show", "h-a0000001")
    revision = staffed("handoff", "show", "h-a0000001", "--json").json["data"]["provider_revision"]
    assert len(revision) == 40, "the packet says which revision it was made on"
    assert told.out == (
        "handoff h-a0000001  offered\n"
        "  next        Write chapter two\n"
        "  goal        beta\n"
        "  sender      agent:claude\n"
        "  receiver    rex\n"
        "  created at  2026-03-02T09:00:00Z\n"
        "  stop condition When it is in\n"
        f"  made on     revision {revision[:10]}\n"
        "  todo        t-a0000001  open, held by claude  Write\n"
        "  left out    The notes: ask Ann\n"
    )
    assert staffed("handoff", "accept", "h-a0000001", *CLAUDE, "--json").expect(1).json["error"]["code"] == (
        "actor-not-permitted"
    )
    staffed("handoff", "accept", "h-a0000001", *REX).expect()
    assert staffed("todo", "show", TODO, "--json").json["data"]["claimed_by"] == "rex"
    assert staffed("handoff").out == "no handoffs\n"
    assert "accepted" in staffed("handoff", "--all").out


def test_an_offer_is_turned_down(staffed: Desk) -> None:
    staffed("handoff", "create", "--goal", "beta", "--todo", TODO, "--next-action", "Go on", *CLAUDE).expect()
    staffed("handoff", "decline", "h-a0000001", "--reason", "Taken back", *CLAUDE).expect()
    assert staffed("handoff", "accept", "h-a0000001", *REX, "--json").expect(1).json["error"]["code"] == (
        "transition-illegal"
    )


def test_nothing_secret_travels_and_the_refusal_does_not_repeat_it(staffed: Desk) -> None:
    secret = "ghp_" + "a1b2c3d4" * 5
    said = staffed("handoff", "create", "--goal", "beta", "--next-action", f"Log in with {secret}", "--json").expect(1)
    assert said.json["error"]["code"] == "text-credential" and secret not in said.text
