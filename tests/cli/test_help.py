"""Help is part of the product: every command and option says what it does, and the table of words never drifts."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from loopx.cli.grammar import Noun
from loopx.cli.root import root
from loopx.cli.table import ROWS, SECTIONS

CONTEXT = click.Context(root, info_name="loopx")


def commands(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    """Every command below ``command``, itself included, by the words that lead to it."""
    yield name, command
    if isinstance(command, click.Group):
        for word in command.list_commands(CONTEXT):
            below = command.get_command(CONTEXT, word)
            assert below is not None
            yield from commands(below, f"{name} {word}")


ALL = dict(commands(root, "loopx"))
PROMISED = """
init demo where check schema completion status board log show diff rollback undo why refresh-state
goal:list,show,new,edit,activate,pause,resume,stop,meet,unmeet,waive
todo:list,show,add,edit,claim,unclaim,block,defer,resume,done,supersede,cancel,reopen,archive
gate:list,show,open,approve,reject,defer,withdraw
vision:list,show,set,retire
turn:list,show,open,void
lease:list,show,acquire,renew,transfer,release
plan:list,show,new,edit,check,graph,migrate
step:list,show,skip,cancel
trace:list,show,verify
op:list,show
edit:list,accept,discard
history:list,keep
"""


def promised() -> Iterator[str]:
    for word in PROMISED.split():
        noun, _, verbs = word.partition(":")
        yield f"loopx {noun}"
        yield from (f"loopx {noun} {verb}" for verb in verbs.split(",") if verb)


@pytest.mark.parametrize("name", list(promised()))
def test_every_command_promised_is_there(name: str) -> None:
    assert name in ALL


@pytest.mark.parametrize("name", ALL)
def test_every_command_says_what_it_does_in_one_sentence(name: str) -> None:
    said = ALL[name].help or ""
    assert said.endswith("."), said
    assert "\n\n" not in said
    assert said[:1].isupper()


@pytest.mark.parametrize("name", ALL)
def test_every_option_says_what_it_does(name: str) -> None:
    options = [each for each in ALL[name].params if isinstance(each, click.Option)]
    assert [each.opts for each in options if not (each.help or "").endswith((".", ")"))] == []


@pytest.mark.parametrize("name", [name for name, each in ALL.items() if not isinstance(each, click.Group)])
def test_every_command_takes_json_workspace_and_actor(name: str) -> None:
    taken = {option for each in ALL[name].params for option in each.opts}
    assert {"--json", "--workspace", "--actor"} <= taken


WRITES = ["todo add", "todo edit", "todo done", "goal new", "gate approve", "vision set", "turn open", "refresh-state"]


@pytest.mark.parametrize("name", WRITES)
def test_writes_take_an_operation_and_an_expected_revision(name: str) -> None:
    taken = {option for each in ALL[f"loopx {name}"].params for option in each.opts}
    assert {"--op", "--expect-revision", "--render"} <= taken


@pytest.mark.parametrize("name", ["todo list", "todo show", "goal list", "gate show", "status", "board", "why"])
def test_reads_take_a_revision(name: str) -> None:
    assert "--at" in {option for each in ALL[f"loopx {name}"].params for option in each.opts}


def test_the_table_says_of_each_word_what_the_word_says_of_itself() -> None:
    found = {row.word: root.get_command(CONTEXT, row.word) for row in ROWS}
    assert {word: each.help for word, each in found.items() if each} == {row.word: row.about for row in ROWS}
    assert {row.section for row in ROWS} == set(SECTIONS)


def test_every_noun_lists_when_typed_bare() -> None:
    nouns = {name: each for name, each in ALL.items() if isinstance(each, Noun) and name != "loopx"}
    daemon = nouns.pop("loopx daemon")  # there is only one: bare it runs
    assert {name: each.bare for name, each in nouns.items()} == dict.fromkeys(nouns, "list")
    assert all("list" in each.list_commands(CONTEXT) for each in nouns.values())
    assert daemon.bare == "run"


def test_examples_stand_as_they_are_typed() -> None:
    with root.make_context("loopx", ["todo"], obj=None) as context:
        told = ALL["loopx todo add"].get_help(click.Context(ALL["loopx todo add"], context, "add"))
    assert '    loopx todo add "Write the guide" --goal beta --priority p1\n' in told
