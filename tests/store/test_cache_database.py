"""The file under the cache: disposable, isolated, never in anybody's way."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from loopx.errors import LoopxError
from loopx.store.cache import Cache
from loopx.store.cache.schema import VERSION


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "local" / "cache.sqlite"


def test_rows_outlive_the_process_that_wrote_them(path: Path) -> None:
    first = Cache(path)
    assert first.revision is None
    first.revision = "abc"
    first.set_meta("colour", "blue")
    first.close()
    second = Cache(path)
    assert (second.revision, second.get_meta("colour"), second.get_meta("shape")) == ("abc", "blue", None)
    assert second.is_kept
    second.close()


def test_changes_are_seen_by_their_maker_alone_until_they_are_committed(path: Path) -> None:
    one, two = Cache(path), Cache(path)
    one.begin()
    one.add_known("t-1")
    assert (one.is_known("t-1"), two.is_known("t-1")) == (True, False)
    one.commit()
    assert two.is_known("t-1")
    one.close()
    two.close()


def test_changes_of_a_lost_race_are_thrown_away(path: Path) -> None:
    cache = Cache(path)
    cache.begin()
    cache.add_known("t-1")
    cache.revision = "lost"
    cache.rollback()
    cache.rollback()
    assert (cache.is_known("t-1"), cache.revision) == (False, None)
    cache.close()


def test_changes_die_with_the_process_that_did_not_commit_them(path: Path) -> None:
    Cache(path).close()
    script = (
        "import os, sys; from pathlib import Path; from loopx.store.cache import Cache\n"
        "c = Cache(Path(sys.argv[1])); c.begin(); c.add_known('t-1'); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", script, str(path)]).returncode == -9
    cache = Cache(path)
    assert not cache.is_known("t-1")
    cache.begin()
    cache.add_known("t-2")
    cache.commit()
    cache.close()


def spoil(path: Path, how: str) -> None:
    if how == "newer":
        connection = sqlite3.connect(path)
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")
        connection.close()
    elif how == "foreign":
        path.unlink()
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE theirs (x)")
        connection.commit()
        connection.close()
    elif how == "empty":
        path.write_bytes(b"")
    else:
        path.write_bytes({"text": b"not a database, but long enough to be looked at" * 90, "NUL": bytes(8192)}[how])


@pytest.mark.parametrize("how", ["newer", "foreign", "empty", "text", "NUL"])
def test_C12_a_file_that_is_no_cache_of_this_version_is_made_anew(path: Path, how: str) -> None:
    first = Cache(path)
    first.add_known("t-1")
    first.close()
    spoil(path, how)
    second = Cache(path)
    assert not second.is_known("t-1")
    second.add_known("t-2")
    second.close()
    third = Cache(path)
    assert third.is_kept and third.is_known("t-2")
    third.close()


def test_what_an_old_process_left_beside_a_deleted_cache_is_not_taken_for_its_own(path: Path) -> None:
    first = Cache(path)
    first.add_known("t-1")
    log = path.with_name("cache.sqlite-wal").read_bytes()
    first.close()
    path.unlink()
    path.with_name("cache.sqlite-wal").write_bytes(log)
    second = Cache(path)
    second.add_known("t-2")
    assert second.is_known("t-2")
    second.close()


def damage_table(path: Path, name: str) -> None:
    """Overwrite the page a table starts on, and nothing of the schema, so that opening the file finds it sound."""
    connection = sqlite3.connect(path)
    [(root,)] = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (name,))
    [(size,)] = connection.execute("PRAGMA page_size")
    connection.close()
    with path.open("r+b") as file:
        file.seek((root - 1) * size)
        file.write(b"\xff" * size)


def test_damage_met_in_use_is_told_and_answered_by_an_empty_cache(path: Path) -> None:
    first = Cache(path)
    first.begin()
    for n in range(3000):
        first.add_known(f"t-{n:06}")
    first.commit()
    first.close()
    damage_table(path, "known_id")
    cache = Cache(path)
    with pytest.raises(LoopxError) as broken:
        [cache.is_known(f"t-{n:06}") for n in range(3000)]
    assert broken.value.code == "cache-broken"
    assert str(path) in str(broken.value)
    cache.reset()
    assert not cache.is_known("t-000001")
    cache.add_known("t-000001")
    cache.close()


def test_a_cache_in_memory_can_be_emptied_too() -> None:
    cache = Cache(None)
    cache.add_known("t-1")
    cache.reset()
    assert not cache.is_known("t-1")
    assert not cache.is_kept
    cache.close()


def test_a_second_writer_is_told_that_the_cache_is_busy(path: Path) -> None:
    one, two = Cache(path), Cache(path)
    two._run("PRAGMA busy_timeout = 1")
    one.begin()
    with pytest.raises(LoopxError) as busy:
        two.begin()
    assert busy.value.code == "cache-busy"
    one.rollback()
    two.begin()
    two.rollback()
    one.close()
    two.close()


def test_a_cache_that_is_being_written_is_opened_and_read_and_never_deleted(path: Path) -> None:
    one = Cache(path)
    one.add_known("t-1")
    one.begin()
    one.add_known("t-2")
    two = Cache(path)
    assert (two.is_known("t-1"), two.is_known("t-2")) == (True, False)
    two.close()
    one.commit()
    assert one.is_known("t-2")
    one.close()


READ_ONLY = """
import os, sys
from pathlib import Path
from loopx.store.cache import Cache
os.setgid(65534); os.setuid(65534)
cache = Cache(Path(sys.argv[1]))
cache.add_known("t-1")
print(cache.is_kept, cache.is_known("t-1"))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_that_cannot_be_written_leaves_the_rows_in_memory(exists: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        path = Path(folder) / "local" / "cache.sqlite"
        path.parent.mkdir(0o755)
        if exists:
            cache = Cache(path)
            cache.add_known("t-0")
            cache.close()
        command = [sys.executable, "-c", READ_ONLY, str(path)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=Path(__file__).parents[2])
        assert done.stdout == "False True\n", done.stderr
        assert path.exists() is exists


def test_a_folder_that_cannot_be_made_leaves_the_rows_in_memory(tmp_path: Path) -> None:
    (tmp_path / "local").write_text("a file")
    cache = Cache(tmp_path / "local" / "cache.sqlite")
    cache.add_known("t-1")
    assert not cache.is_kept
    cache.close()


def test_one_cache_serves_several_threads(path: Path) -> None:
    cache = Cache(path)
    seen: list[bool] = []

    def work(n: int) -> None:
        for each in range(50):
            cache.add_known(f"t-{n}-{each}")
            seen.append(cache.is_known(f"t-{n}-{each}"))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == [True] * 200
    cache.close()
