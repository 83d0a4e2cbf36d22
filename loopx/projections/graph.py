"""What depends on what within one Goal: Todos, the Todos they wait for, and the Gates they need.

Built from facts, bounded, and then drawn twice: as Mermaid text and as a layered picture. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum

from loopx.model.defining import dataclass
from loopx.model.gate import GateStatus
from loopx.projections.facts import GateFacts, GoalFacts, Lane, TodoFacts

NODE_LIMIT = 60
"""Nodes of one Goal's graph; more cannot be read at a glance."""


class Look(StrEnum):
    """How a node is drawn: a Todo by its lane, a Gate by whether it is settled."""

    RUNNABLE = "runnable"
    WAITING = "waiting"
    BLOCKED = "blocked"
    DEFERRED = "deferred"
    DONE = "done"
    GATE_OPEN = "gate-open"
    GATE_SETTLED = "gate-settled"
    ELSEWHERE = "elsewhere"
    """A Todo of another Goal, or one that cannot be read."""


@dataclass(frozen=True, slots=True)
class Node:
    """A Todo or Gate. ``label`` is its title or question as typed."""

    id: str
    label: str
    look: Look

    @property
    def is_gate(self) -> bool:
        return self.look in (Look.GATE_OPEN, Look.GATE_SETTLED)


@dataclass(frozen=True, slots=True)
class Edge:
    """``target`` cannot go on before ``source``."""

    source: str
    target: str
    is_gate: bool = False


@dataclass(frozen=True, slots=True)
class Graph:
    """One Goal's graph. ``omitted`` nodes were left out for size; ``loose`` Todos have no edge at all."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    omitted: int
    loose: int


def goal_graph(goal: GoalFacts, titles: Mapping[str, str], limit: int = NODE_LIMIT) -> Graph:
    """The graph of ``goal``; ``titles`` names Todos of other Goals.

    Only what is not closed has a place, and what it waits for directly; nodes are kept by urgency.
    """
    todos = {each.id: each for each in goal.todos}
    edges = _edges(goal, todos)
    tied = {end for edge in edges for end in (edge.source, edge.target)}
    gates = {each.id: each for each in goal.gates}
    ranked = sorted(tied, key=lambda each: _rank(each, todos, gates))
    kept = _connected(ranked[:limit], edges)
    nodes = tuple(_node(each, todos, gates, titles) for each in ranked if each in kept)
    loose = sum(each.lane is not Lane.DONE and each.id not in tied for each in goal.todos)
    return Graph(nodes, tuple(e for e in edges if e.source in kept and e.target in kept), len(tied) - len(kept), loose)


def _edges(goal: GoalFacts, todos: Mapping[str, TodoFacts]) -> list[Edge]:
    found: dict[Edge, None] = {}
    for todo in goal.todos:
        if todo.lane is not Lane.DONE:
            found.update((Edge(each, todo.id), None) for each in todo.depends_on if each != todo.id)
    for gate in goal.gates:
        if gate.status is not GateStatus.WITHDRAWN:
            live = (each for each in gate.covers if each in todos and todos[each].lane is not Lane.DONE)
            found.update((Edge(gate.id, each, is_gate=True), None) for each in live)
    return list(found)


def _connected(kept: Iterable[str], edges: Iterable[Edge]) -> set[str]:
    """Those of ``kept`` that still have an edge to another of them."""
    candidates = set(kept)
    inner = [edge for edge in edges if edge.source in candidates and edge.target in candidates]
    return {end for edge in inner for end in (edge.source, edge.target)}


def _rank(node: str, todos: Mapping[str, TodoFacts], gates: Mapping[str, GateFacts]) -> tuple[int, str, str]:
    todo, gate = todos.get(node), gates.get(node)
    if todo is not None:
        return (3 if todo.lane is Lane.DONE else 1, todo.priority, node)
    if gate is not None:
        return (0 if _look_of_gate(gate) is Look.GATE_OPEN else 3, "", node)
    return (2, "", node)


def _node(node: str, todos: Mapping[str, TodoFacts], gates: Mapping[str, GateFacts], titles: Mapping[str, str]) -> Node:
    todo, gate = todos.get(node), gates.get(node)
    if todo is not None:
        return Node(node, todo.title, Look(todo.lane))
    if gate is not None:
        return Node(node, gate.question, _look_of_gate(gate))
    return Node(node, titles.get(node) or "not found", Look.ELSEWHERE)


def _look_of_gate(gate: GateFacts) -> Look:
    settled = gate.status is GateStatus.APPROVED and not gate.note
    return Look.GATE_SETTLED if settled else Look.GATE_OPEN
