"""The unit file of a user service that keeps a daemon running: systemd's on Linux, launchd's on macOS. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from xml.sax.saxutils import escape

from loopx.model.defining import dataclass

_PASSED_ON = ("XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_SSH_COMMAND", "PATH")
"""Variables a service would otherwise lack and that say who a person is to Git, or which Git is meant."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit file: where it goes, what is in it, and what to type then."""

    path: Path
    text: str
    enable: str
    disable: str


def unit(system: str, root: Path, program: tuple[str, ...], environ: Mapping[str, str], home: Path) -> Unit | None:
    """The unit for the workspace at ``root``; ``None`` where no kind of user service is known."""
    name = f"loopx-{sha256(str(root).encode()).hexdigest()[:8]}"
    command = (*program, "daemon", "run", "--workspace", str(root))
    passed = {each: environ[each] for each in _PASSED_ON if environ.get(each)}
    if system == "Linux":
        base = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
        path = base / "systemd" / "user" / f"{name}.service"
        enable = f"systemctl --user daemon-reload && systemctl --user enable --now {name}.service"
        return Unit(path, _systemd(root, command, passed), enable, f"systemctl --user disable --now {name}.service")
    if system == "Darwin":
        label = f"invalid.agents.{name}"
        path = home / "Library" / "LaunchAgents" / f"{label}.plist"
        return Unit(path, _launchd(label, command, passed), f"launchctl load -w {path}", f"launchctl unload -w {path}")
    return None


def _systemd(root: Path, command: tuple[str, ...], passed: Mapping[str, str]) -> str:
    lines = [
        "[Unit]",
        f"Description=LoopX, watching {_specifier(str(root))}",
        "",
        "[Service]",
        f"ExecStart={' '.join(_quoted(each) for each in command)}",
        *(f"Environment={_quoted(f'{name}={value}')}" for name, value in passed.items()),
        "Restart=on-failure",
        "RestartSec=5",
        # Another daemon runs already: starting over and over would change nothing about that.
        "RestartPreventExitStatus=1 3",
        "TimeoutStopSec=15",
        "",
        "[Install]",
        "WantedBy=default.target",
    ]
    return "\n".join(lines) + "\n"


def _launchd(label: str, command: tuple[str, ...], passed: Mapping[str, str]) -> str:
    arguments = "".join(f"    <string>{escape(each)}</string>\n" for each in command)
    variables = "".join(
        f"    <key>{escape(name)}</key><string>{escape(value)}</string>\n" for name, value in passed.items()
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">\n'
        '<plist version="1.0">\n<dict>\n'
        f"  <key>Label</key><string>{label}</string>\n"
        f"  <key>ProgramArguments</key>\n  <array>\n{arguments}  </array>\n"
        f"  <key>EnvironmentVariables</key>\n  <dict>\n{variables}  </dict>\n"
        "  <key>RunAtLoad</key><true/>\n"
        "  <key>KeepAlive</key><dict><key>Crashed</key><true/></dict>\n"
        "</dict>\n</plist>\n"
    )


def _quoted(text: str) -> str:
    """One word of a unit file: quoted, its percent signs and dollars doubled."""
    inner = _specifier(text).replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return f'"{inner}"'


def _specifier(text: str) -> str:
    return text.replace("%", "%%")
