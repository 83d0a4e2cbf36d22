"""Who a process is, what a unit file says, which file systems tell nobody, how a log stays small: each on its own."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from loopx.daemon import line, service
from loopx.daemon.identity import Identity, current, is_same, process
from loopx.daemon.logbook import Logbook
from loopx.daemon.mounts import shared_kind
from loopx.daemon.program import Program

ROOT = Path("/home/ann/my project/.loopx")


def test_this_process_is_itself_and_no_other() -> None:
    mine = current()
    assert is_same(mine, process(os.getpid()))
    assert is_same(Identity.from_json(mine.as_json()), mine)
    for other in (replace(mine, started="1"), replace(mine, boot="another"), replace(mine, pid=1), None):
        assert not is_same(mine, other)


def test_a_process_that_is_not_there_is_nobody() -> None:
    assert process(2**22 + 1) is None


def test_a_systemd_unit_quotes_what_it_runs_and_passes_on_who_the_person_is() -> None:
    environ = {"PATH": "/usr/bin", "XDG_CONFIG_HOME": "/home/ann/100%/conf"}
    made = service.unit("Linux", ROOT, ("/usr/bin/python", "-m", "loopx"), environ, Path("/home/ann"))
    assert made is not None
    assert made.path.parent == Path("/home/ann/100%/conf/systemd/user")
    assert f'"--workspace" "{ROOT}"' in made.text
    assert 'Environment="XDG_CONFIG_HOME=/home/ann/100%%/conf"' in made.text
    assert "RestartPreventExitStatus=1 3" in made.text
    assert made.path.name in made.enable


def test_a_launchd_plist_is_xml_whatever_the_folder_is_called() -> None:
    root = Path("/Users/ann/a & b <c>/.loopx")
    made = service.unit("Darwin", root, ("python",), {}, Path("/Users/ann"))
    assert made is not None
    words = [each.text for each in ElementTree.fromstring(made.text).iter("string")]
    assert str(root) in words


def test_two_workspaces_have_units_of_their_own_and_other_systems_none() -> None:
    one, two = (service.unit("Linux", Path(each), ("x",), {}, Path("/h")) for each in ("/a/.loopx", "/b/.loopx"))
    assert one is not None
    assert two is not None
    assert one.path != two.path
    assert service.unit("Plan9", ROOT, ("x",), {}, Path("/h")) is None


@pytest.mark.parametrize(
    ("folder", "kind"),
    [("/data/x", None), ("/net/home/x", "nfs4"), ("/net/local/x", None), ("/share dir/x", "fuse.sshfs")],
)
def test_a_folder_other_machines_change_is_recognised(tmp_path: Path, folder: str, kind: str | None) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "dev / ext4 rw 0 0\nhost:/x /net nfs4 rw 0 0\ndev /net/local ext4 rw 0 0\n"
        "h: /share\\040dir fuse.sshfs rw 0 0\nodd\n"
    )
    assert shared_kind(Path(folder), mounts) == kind


def test_a_log_becomes_another_when_it_is_full(tmp_path: Path) -> None:
    book = Logbook(tmp_path / "log", most=100)
    for number in range(40):
        book.write(f"line {number}")
    assert {each.name for each in tmp_path.iterdir()} == {"log", "log.1"}
    assert sum(each.stat().st_size for each in tmp_path.iterdir()) < 300
    Logbook(tmp_path / "none" / "log").write("lost, and nobody minds")


def test_a_program_that_was_replaced_is_told_of(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    running = Program()
    assert running.change() is None
    (tmp_path / "__init__.py").write_text("")
    monkeypatch.setattr("loopx.__file__", str(tmp_path / "__init__.py"))
    found = running.change()
    assert found is not None
    assert found.code == "daemon-outdated"


def test_a_request_comes_out_as_it_went_in_however_it_is_cut() -> None:
    asked = line.Asked(
        line.RUN,
        line.told("1", "/x", umask=0o22, terminals="oe"),
        "op-x",
        "/fo\udcffder",
        ("todo", "add", "é\n"),
        {"A": "b=c"},
    )
    sent = line.encoded(asked)
    assert all(line.decoded(sent[:cut]) is None for cut in range(len(sent)))
    found = line.decoded(sent)
    assert found is not None
    assert [getattr(found, name) for name in line.Asked.__slots__] == [
        getattr(asked, name) for name in line.Asked.__slots__
    ]


def test_frames_come_out_as_they_went_in_however_they_are_cut() -> None:
    told = [(line.ACCEPTED, b""), (line.OUT, b"a\n1\n"), (line.ENDED, b"0")]
    sent = b"".join(line.frame(letter, content) for letter, content in told)
    for cut in range(len(sent)):
        first, rest = line.frames(sent[:cut])
        second, left = line.frames(rest + sent[cut:])
        assert (first + second, left) == (told, b"")


def test_what_makes_an_answer_another_one_is_compared() -> None:
    environ = {"HOME": "/h", "GIT_DIR": "/x", "PATH": "/usr/bin", "LOOPX_ACTOR": "agent:bot"}
    assert line.setting(environ) == {"HOME": "/h", "GIT_DIR": "/x"}
