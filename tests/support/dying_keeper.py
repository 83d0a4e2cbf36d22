"""A keeper of executions that kills itself, or others, right before or after it writes a record."""

from __future__ import annotations

from pathlib import Path

from loopx.loop.keeping import attempting

_PROGRAM = """
import os
names = {{"__name__": "keeper"}}
exec(compile(open({source!r}).read(), {source!r}, "exec"), names)
Record = names["Record"]
plain = Record.write

def strike(record, at):
    if at == {at!r} and "+{step}+" in record._file and not os.path.exists({mark!r}):
        open({mark!r}, "w").close()
        for pid in ({victims}):
            os.kill(pid, 9)

def write(self, facts):
    self.number = getattr(self, "number", 0) + 1
    strike(self, f"before {{self.number}}")
    plain(self, facts)
    strike(self, f"after {{self.number}}")

Record.write = write
import sys
os._exit(names["main"](sys.argv[1:]))
"""
WRITES = {
    "before 1": "the command waits, and nothing is on record",
    "after 1": "its beginning is on record, and it was not let go",
    "before 2": "it has ended, and that is not on record",
    "after 2": "its end is on record, and nobody was told",
}


def dying_keeper(folder: Path, at: str, step: str, victims: str) -> Path:
    """The program of a keeper that strikes once around a record of ``step``: it kills ``victims``, numbers of
    processes in its own words."""
    path, mark = folder / "keeper.py", folder / "struck"
    told = {"at": at, "step": step, "mark": str(mark), "victims": victims}
    path.write_text("import sys\n" + _PROGRAM.format(source=attempting.__file__, **told))
    return path
