"""The workspace's own document, changed by command as everything else is."""

from __future__ import annotations

import pytest

from loopx.errors import LoopxError
from loopx.kernel.commands import EditWorkspace
from loopx.model.workspace import ToolEntry
from tests.support.lab import Lab


def test_settings_edited_by_command_are_on_disk_in_history_and_in_force(lab: Lab) -> None:
    done = lab.submit(EditWorkspace(fields={"title": "Our lab", "policies": {"durability": "fast"}}))
    assert done.revision == lab.git("rev-parse", "HEAD").strip()
    assert lab.read("workspace.yaml") == lab.at_head("workspace.yaml")
    assert b"Our lab" in lab.read("workspace.yaml")
    lab.restart()
    assert lab.ws.policies().durability == "fast" and not lab.ws.is_durable
    lab.assert_sound()


def test_tools_and_models_are_edited_by_command_and_by_hand_alike(lab: Lab) -> None:
    lab.submit(EditWorkspace(fields={"tools": [{"name": "make", "argv": ["make", "-s"]}], "models": ["small"]}))
    lab.change("workspace.yaml", "- small", "- small\n  - large")
    lab.change("workspace.yaml", '- "-s"', "- k")
    config = lab.ws.read().state.config()
    assert config is not None
    assert (config.tools, config.models) == ((ToolEntry(name="make", argv=("make", "k")),), ("small", "large"))
    lab.assert_sound()


@pytest.mark.parametrize(
    "tools", [[{"name": "make", "argv": []}], [{"name": "make", "argv": ["a"]}, {"name": "make", "argv": ["b"]}]]
)
def test_a_tool_is_named_once_and_names_a_program(lab: Lab, tools: list[dict[str, object]]) -> None:
    with pytest.raises(LoopxError) as no:
        lab.submit(EditWorkspace(fields={"tools": tools}))
    assert no.value.code == "field-value" and "make" in str(no.value)
