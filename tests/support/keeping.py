"""A keeper outside any run, which a test starts and kills as it likes."""

from __future__ import annotations

import os
import subprocess
import sys

from loopx.loop.keeping import attempting


def keeper_of(job: bytes, starter: int = 0) -> subprocess.Popen[bytes]:
    """A keeper that got one job and gets no other; ``starter`` is who it takes for its runner, this process unless
    told otherwise."""
    argv = [sys.executable, "-I", "-S", attempting.__file__, str(starter or os.getpid()), "", ""]
    pipe = subprocess.PIPE
    process = subprocess.Popen(argv, stdin=pipe, stdout=subprocess.DEVNULL, start_new_session=True, cwd="/")
    assert process.stdin is not None
    process.stdin.write(job)
    process.stdin.close()
    return process
