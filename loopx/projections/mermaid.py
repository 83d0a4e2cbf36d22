"""A graph as Mermaid text, for viewers that draw it (most that show Markdown do)."""

from __future__ import annotations

from loopx.projections.escape import cut, mermaid
from loopx.projections.graph import Graph, Node

LABEL_LIMIT = 60

_CLASSES = (
    "classDef runnable fill:#d9f2e3,stroke:#1a7f4b,color:#0d3b23",
    "classDef waiting fill:#fbeccc,stroke:#a86500,color:#4a2d00",
    "classDef blocked fill:#fbdcd8,stroke:#b3261e,color:#4f100c",
    "classDef deferred fill:#e5e0f7,stroke:#5d4bb0,color:#2a2057",
    "classDef done fill:#e8eaed,stroke:#6b7280,color:#30343b",
    "classDef gateOpen fill:#fff3b0,stroke:#8a6d00,color:#3f3200,stroke-width:2px",
    "classDef gateSettled fill:#e8eaed,stroke:#6b7280,color:#30343b",
    "classDef elsewhere fill:#ffffff,stroke:#6b7280,color:#30343b,stroke-dasharray:4 3",
)


def flowchart(graph: Graph) -> str:
    """The graph as a ``flowchart``; edges lead from what must come first."""
    names = {node.id: f"n{number}" for number, node in enumerate(graph.nodes, 1)}
    lines = ["flowchart LR"]
    lines += [f"  {names[node.id]}{_shape(node)}:::{_class(node)}" for node in graph.nodes]
    lines += [f"  {names[e.source]} {'-.->' if e.is_gate else '-->'} {names[e.target]}" for e in graph.edges]
    used = {_class(node) for node in graph.nodes}
    lines += [f"  {line}" for line in _CLASSES if line.split()[1] in used]
    return "\n".join(lines)


def _class(node: Node) -> str:
    """The look's name as Mermaid takes it: without a dash."""
    first, *rest = node.look.split("-")
    return first + "".join(each.capitalize() for each in rest)


def _shape(node: Node) -> str:
    label = mermaid(cut(f"{node.id} {node.label}", LABEL_LIMIT))
    return f'{{{{"{label}"}}}}' if node.is_gate else f'["{label}"]'
