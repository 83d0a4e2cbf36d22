"""The verbs of ``loopx agent`` that change who works here. A person's, each of them."""

from __future__ import annotations

import click

from loopx.cli.answer import Answer
from loopx.cli.grammar import Verb
from loopx.cli.options import writes
from loopx.cli.parameters import GOAL, one_of
from loopx.cli.request import Request
from loopx.cli.usage import usage
from loopx.cli.writing import submit
from loopx.kernel.commands import AddAgent, EditAgent, RemoveAgent
from loopx.model.goal import AgentMode, VisionNeed


@click.command(
    "add",
    cls=Verb,
    epilog="  loopx agent add claude --capability python\n  loopx agent add claude --goal beta --vision required",
)
@click.argument("agent_id", metavar="AGENT")
@click.option("--capability", metavar="NAME", multiple=True, help="What it can do (repeatable).")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Let it take part in this Goal as well.")
@click.option("--role-scope", metavar="TEXT", help="What it is for in the Goal.")
@click.option("--vision", type=one_of(VisionNeed), help="Whether it must keep a Vision for the Goal.")
@click.option("--mode", type=one_of(AgentMode), help="What it does for the Goal.")
@writes
def add(
    request: Request,
    agent_id: str,
    capability: tuple[str, ...],
    goal: str | None,
    role_scope: str | None,
    vision: str | None,
    mode: str | None,
) -> Answer:
    """Register an agent; with a Goal, let it take part there."""
    command = AddAgent(
        agent=agent_id, capabilities=capability, goal=goal, role_scope=role_scope, vision=vision, mode=mode
    )
    return submit(request, command, "added")


@click.command(
    "edit",
    cls=Verb,
    epilog="  loopx agent edit claude --add-capability rust\n"
    '  loopx agent edit claude --goal beta --role-scope "The tests" --mode monitor_only',
)
@click.argument("agent_id", metavar="AGENT")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Change its part in this Goal, not what holds everywhere.")
@click.option("--add-capability", metavar="NAME", multiple=True, help="Something more it can do (repeatable).")
@click.option("--remove-capability", metavar="NAME", multiple=True, help="Something it cannot do (repeatable).")
@click.option("--role-scope", metavar="TEXT", help="What it is for in the Goal; an empty text clears it.")
@click.option("--vision", type=one_of(VisionNeed), help="Whether it must keep a Vision for the Goal.")
@click.option("--mode", type=one_of(AgentMode), help="What it does for the Goal.")
@writes
def edit(
    request: Request,
    agent_id: str,
    goal: str | None,
    add_capability: tuple[str, ...],
    remove_capability: tuple[str, ...],
    role_scope: str | None,
    vision: str | None,
    mode: str | None,
) -> Answer:
    """Change what is known of an agent."""
    given = (("role_scope", role_scope), ("vision", vision), ("mode", mode))
    fields = {name: value or None for name, value in given if value is not None}
    command = EditAgent(
        agent=agent_id,
        goal=goal,
        fields=fields,
        add={"capabilities": add_capability} if add_capability else {},
        remove={"capabilities": remove_capability} if remove_capability else {},
    )
    if not (command.fields or command.add or command.remove):
        raise usage("Nothing to change was given; see --add-capability, --role-scope, --vision and --mode.")
    return submit(request, command, "changed")


@click.command(
    "remove", cls=Verb, epilog='  loopx agent remove claude --goal beta\n  loopx agent remove claude --reason "Gone"'
)
@click.argument("agent_id", metavar="AGENT")
@click.option("--goal", metavar="GOAL", type=GOAL, help="Only from this Goal.")
@click.option("--reason", metavar="TEXT", help="Why.")
@writes
def remove(request: Request, agent_id: str, goal: str | None, reason: str | None) -> Answer:
    """Take an agent out; its claims are dropped and its leases released at once."""
    return submit(request, RemoveAgent(agent=agent_id, goal=goal, reason=reason), "removed")
