"""``python -m loopx`` is the ``loopx`` command."""

from loopx.cli import main

if __name__ == "__main__":
    raise SystemExit(main())
