"""``loopx`` itself: the root of the command line, with the options that may also stand before the noun."""

from __future__ import annotations

import click

from loopx.cli.answer import text_answer
from loopx.cli.grammar import Root, Shown
from loopx.cli.options import common
from loopx.cli.table import ROWS

EXAMPLES = """\
  loopx init && loopx goal new beta --title "Ship the beta"
  loopx todo add "Write the guide" --goal beta
  loopx status"""


def _version(ctx: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from loopx import __version__

        raise Shown(text_answer("version", f"loopx {__version__}"))


@click.group(
    "loopx",
    cls=Root,
    bare=None,
    verbs={row.word: row.place for row in ROWS},
    invoke_without_command=True,
    epilog=EXAMPLES,
)
@click.option("--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Show the version.")
@common
@click.pass_context
def root(ctx: click.Context, /, **_shared: object) -> None:
    """Goals, Todos, Gates and Visions as files you edit by hand, where every accepted change is one Git commit."""
    if ctx.invoked_subcommand is None:
        raise Shown(text_answer("help", ctx.get_help()))
