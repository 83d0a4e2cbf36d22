"""``loopx completion``: the script that teaches a shell our commands, options and ids."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from loopx.cli.answer import Answer, text_answer
from loopx.cli.app import COMPLETE_VARIABLE, PROGRAM
from loopx.cli.grammar import Verb
from loopx.cli.options import common
from loopx.cli.request import Request


@click.command(
    "completion",
    cls=Verb,
    epilog='  eval "$(loopx completion bash)"\n  loopx completion fish > ~/.config/fish/completions/loopx.fish',
)
@click.argument("shell", metavar="bash|zsh|fish", type=click.Choice(["bash", "zsh", "fish"]))
@common
def completion(request: Request, shell: str) -> Answer:
    """Print the completion script for a shell."""
    del request  # the script needs nothing of a workspace
    made = get_completion_class(shell)
    if made is None:
        raise AssertionError(f"click knows no {shell}")
    root = click.get_current_context().find_root().command
    script = made(root, {}, PROGRAM, COMPLETE_VARIABLE).source()
    return text_answer("script", script)
