"""Every top-level word of the command line, where it lives, and one sentence about it.

A literal table, so that ``loopx --help`` and a misspelt word are answered without importing a single command. A test
holds the sentences equal to the commands' own.
"""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One word: ``module:attribute`` below ``loopx.cli.commands``, its help section and its sentence."""

    word: str
    place: str
    section: str
    about: str


START, WORK, AGENTS, LOOK, HISTORY, UPKEEP = "Start", "Work", "Agents", "Look", "History", "Upkeep"

ROWS: tuple[Row, ...] = (
    Row("init", "workspace:init", START, "Make a workspace in a project."),
    Row("where", "workspace:where", START, "Show which workspace is used, and why."),
    Row(
        "demo",
        "demo:demo",
        START,
        "Show the main job end to end on a small project made for it (default: ./loopx-demo).",
    ),
    Row("goal", "goal:goal", WORK, "Goals: what is to be reached."),
    Row("todo", "todo:todo", WORK, "Todos: one piece of work each."),
    Row("gate", "gate:gate", WORK, "Gates: questions only a person may answer."),
    Row("plan", "plan:plan", WORK, "Plans: the steps of a Todo, and the run that carries them out."),
    Row("step", "step:step", WORK, "Steps: what became of one step of a run."),
    Row("trace", "trace:trace", WORK, "Traces: everything that happened in a run, line by line."),
    Row("vision", "vision:vision", WORK, "Visions: each agent's route to a Goal."),
    Row("next", "next:next_", AGENTS, "Say what may happen now for one agent, and how to go on."),
    Row("run", "run:run", AGENTS, "Carry out a Todo's plan: to its end, to a question, or to your Ctrl-C."),
    Row(
        "recover",
        "run:recover",
        AGENTS,
        "Settle what interrupted runs left: find how their steps ended, judge them, decide recoveries. Begins nothing.",
    ),
    Row("turn", "turn:turn", AGENTS, "Turns: one bounded piece of an agent's work each."),
    Row("refresh-state", "refresh:refresh_state", AGENTS, "Settle a turn: write back everything it did in one commit."),
    Row("lease", "lease:lease", AGENTS, "Leases: who executes a Todo right now."),
    Row("evidence", "evidence:evidence", AGENTS, "Evidence: what was seen, and what it is still worth."),
    Row("monitor", "monitor:monitor", AGENTS, "Monitors: Todos that watch something."),
    Row("effect", "effect:effect", AGENTS, "Effects: acts on the outside whose outcome is read back."),
    Row("handoff", "handoff:handoff", AGENTS, "Handoffs: work that changes hands."),
    Row("proposal", "proposal:proposal", AGENTS, "Proposals: directions without authority."),
    Row("quota", "quota:quota", AGENTS, "Quota: what a window of time allows, and the full decision."),
    Row("agent", "agent:agent", AGENTS, "Agents that work here."),
    Row("status", "status:status", LOOK, "Show what needs you, what runs and what waits."),
    Row("board", "status:board", LOOK, "Show the Todos as a board, by state."),
    Row("why", "why:why", LOOK, "Explain why one item is as it is."),
    Row("watch", "watch:watch", LOOK, "Follow what changes, and what was refused and why, as it happens."),
    Row("web", "web:web", LOOK, "Open the live page in a browser, and start the daemon that serves it when none runs."),
    Row("log", "history:log", HISTORY, "List what was done, newest first."),
    Row("show", "history:show", HISTORY, "Show one revision: who, why, and what changed."),
    Row("diff", "history:diff", HISTORY, "Show what differs between two revisions."),
    Row("rollback", "rollback:rollback", HISTORY, "Put documents back to how they were at a revision."),
    Row("undo", "rollback:undo", HISTORY, "Take back the documents of one operation."),
    Row("op", "operation:op", HISTORY, "Operations: what is known of one by its id."),
    Row("history", "history:history", HISTORY, "Look at history, or settle it after it was rewritten."),
    Row(
        "daemon",
        "daemon:daemon",
        UPKEEP,
        "Watch the workspace beside an editor: take in what is saved, keep time, keep pages fresh.",
    ),
    Row("check", "workspace:check", UPKEEP, "Check every document and say where each problem is."),
    Row("doctor", "doctor:doctor", UPKEEP, "Find which surface is wrong, and who owns the fact."),
    Row("repair", "doctor:repair", UPKEEP, "Repair pages, cache, index and journal; explain the rest."),
    Row("edit", "edits:edit", UPKEEP, "Hand edits that are not accepted yet."),
    Row("schema", "workspace:schema", UPKEEP, "Print the JSON Schema of a kind of file; without one, list the kinds."),
    Row("completion", "completion:completion", UPKEEP, "Print the completion script for a shell."),
)

SECTIONS: tuple[str, ...] = (START, WORK, AGENTS, LOOK, HISTORY, UPKEEP)
