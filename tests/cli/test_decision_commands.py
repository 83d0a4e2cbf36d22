"""Every command a decision gives can be typed: its words and options exist, once the blanks are filled in."""

from __future__ import annotations

import shlex

import click
import pytest

from loopx.cli.root import root
from tests.support.kernel import ANN, BOT
from tests.unit.kernel.deciding import decided
from tests.unit.kernel.test_kernel_decision_channels import MODES
from tests.unit.kernel.test_kernel_decision_table import CASES

BLANK = "…"
FILLED = {"--scale": "single_surface", "--outcome": "outcome_progress", "--status": "confirmed"}
STATES = [(each.values[0].entities, each.values[0].asked) for each in CASES]
STATES += [(tuple(entities), more) for _, _, entities, more in MODES]


def given(actor: object) -> set[str]:
    """Every command of every state of the decision table."""
    return {line for entities, more in STATES for line in decided(*entities, actor=actor, **more).cli.commands}


@pytest.mark.parametrize("actor", [BOT, ANN], ids=str)
def test_every_command_of_a_decision_parses(actor: object) -> None:
    lines = given(actor)
    assert len(lines) > 12
    for line in lines:
        parsed(line)


def test_a_command_that_does_not_exist_would_be_noticed() -> None:
    for line in ("loopx turn begin --goal beta", "loopx turn open --goal beta --lease-key k-1", "loopx goal close"):
        with pytest.raises(click.UsageError):
            parsed(line)


def parsed(line: str) -> None:
    """Take a command line apart as ``loopx`` does, and carry nothing out."""
    program, *words = shlex.split(line)
    assert program == "loopx"
    words = [
        FILLED.get(before, "text") if word == BLANK else word for before, word in zip(["", *words], words, strict=False)
    ]
    command, context = root, click.Context(root, info_name="loopx", obj=None)
    while isinstance(command, click.Group):
        word = words.pop(0)
        found = command.get_command(context, word)
        if found is None:
            raise click.UsageError(f"no command {word} in {line}")
        command, context = found, click.Context(found, info_name=word, parent=context)
    command.make_context(command.name, words, parent=context.parent)
