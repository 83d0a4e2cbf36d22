"""The workspace's own document, changed by command as everything else is."""

from __future__ import annotations

from loopx.kernel.commands import EditWorkspace
from tests.support.lab import Lab


def test_settings_edited_by_command_are_on_disk_in_history_and_in_force(lab: Lab) -> None:
    done = lab.submit(EditWorkspace(fields={"title": "Our lab", "policies": {"durability": "fast"}}))
    assert done.revision == lab.git("rev-parse", "HEAD").strip()
    assert lab.read("workspace.yaml") == lab.at_head("workspace.yaml")
    assert b"Our lab" in lab.read("workspace.yaml")
    lab.restart()
    assert lab.ws.policies().durability == "fast" and not lab.ws.is_durable
    lab.assert_sound()
