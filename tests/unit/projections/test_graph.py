"""What waits for what: chosen, laid out in layers, drawn as Mermaid and as a picture."""

from __future__ import annotations

from dataclasses import replace

import pytest

from loopx.model.gate import GateStatus
from loopx.model.todo import Priority, TodoStatus
from loopx.projections.graph import Edge, Look, goal_graph
from loopx.projections.layering import HEIGHT, WIDTH, Box, layout
from loopx.projections.mermaid import flowchart
from loopx.projections.pages import render
from loopx.projections.picture import fitted, picture
from tests.unit.projections.sample import BETA, GATE, PUBLISH, READER, SMALL
from tests.unit.projections.surveys import goal, survey, todo


def test_the_graph_holds_what_is_open_what_it_waits_for_and_the_gates_it_needs() -> None:
    graph = goal_graph(READER, {})
    assert {node.id: node.look for node in graph.nodes} == {
        "g-k0000001": Look.GATE_OPEN,
        "t-k0000001": Look.RUNNABLE,
        "t-k0000002": Look.RUNNABLE,
        "t-k0000003": Look.WAITING,
        "t-k0000004": Look.WAITING,
        "g-k0000002": Look.GATE_SETTLED,
    }
    assert Edge("t-k0000003", "t-k0000004") in graph.edges
    assert Edge("g-k0000001", "t-k0000004", is_gate=True) in graph.edges
    assert (graph.omitted, graph.loose) == (0, 2)


def test_a_todo_of_another_goal_is_named_and_marked() -> None:
    [outside] = [node for node in goal_graph(BETA, {PUBLISH.id: PUBLISH.title}).nodes if node.id == PUBLISH.id]
    assert (outside.look, outside.label) == (Look.ELSEWHERE, PUBLISH.title)
    [unknown] = [node for node in goal_graph(BETA, {}).nodes if node.id == PUBLISH.id]
    assert unknown.label == "not found"


def test_what_is_closed_is_drawn_only_where_something_open_waits_for_it() -> None:
    done = todo(1, "done", status=TodoStatus.DONE, depends_on=("t-k0000009",))
    after = todo(2, "after", depends_on=(done.id,))
    graph = goal_graph(goal("reader", "R", [done, after, todo(3, "old", status=TodoStatus.CANCELLED)]), {})
    assert graph.edges == (Edge(done.id, after.id),)


def test_a_withdrawn_gate_and_one_whose_approval_no_longer_counts_are_told_apart() -> None:
    withdrawn = replace(GATE, status=GateStatus.WITHDRAWN)
    assert "g-k0000001" not in {node.id for node in goal_graph(replace(READER, gates=(withdrawn,)), {}).nodes}
    stale = replace(GATE, status=GateStatus.APPROVED, note="ran out 2026-03-01")
    looks = {node.id: node.look for node in goal_graph(replace(READER, gates=(stale,)), {}).nodes}
    assert looks["g-k0000001"] is Look.GATE_OPEN


def test_a_large_graph_keeps_the_urgent_and_says_how_many_it_left_out() -> None:
    chain = [
        todo(n, f"Piece {n}", depends_on=(f"t-k{n - 1:07d}",) if n else (), priority=list(Priority)[n // 20])
        for n in range(100)
    ]
    graph = goal_graph(goal("reader", "R", chain), {}, limit=30)
    assert len(graph.nodes) == 30
    assert {node.id for node in graph.nodes} == {each.id for each in chain[:30]}
    assert graph.omitted == 70
    page = render(survey(goal("reader", "R", chain)), ())["graph.md"]
    assert "40 less urgent ones were left out to keep the picture readable" in page


def test_mermaid_text_has_a_line_for_each_node_and_edge() -> None:
    lines = flowchart(goal_graph(READER, {})).splitlines()
    assert lines[0] == "flowchart LR"
    assert '  n1{{"g-k0000001 May we announce the beta in public?"}}:::gateOpen' in lines
    assert '  n5["t-k0000004 Publish the beta to the mailing list"]:::waiting' in lines
    assert "  n1 -.-> n5" in lines
    assert "  n4 --> n5" in lines
    assert sum(line.startswith("  classDef") for line in lines) == 4


def test_the_graph_page_has_a_section_a_goal_even_without_edges() -> None:
    lonely = goal("lonely", "Lonely", [todo(1, "x", "lonely")])
    page = render(replace(SMALL, goals=(READER, lonely)), ())["graph.md"]
    assert page.count("```mermaid") == 1
    assert "## lonely\n\n[Lonely](goals/lonely.md) · 1 Todo stands alone and is not drawn\n\nNothing waits" in page


def spots(boxes: tuple[Box, ...]) -> dict[str, tuple[int, int]]:
    return {box.id: (box.x, box.y) for box in boxes}


def test_each_node_stands_right_of_what_it_waits_for() -> None:
    edges = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "c")]
    at = spots(layout(["c", "a", "d", "b"], edges).boxes)
    assert all(at[source][0] < at[target][0] for source, target in edges)
    assert at["d"][0] == at["b"][0], "what waits for nothing stands just before its first use"


@pytest.mark.parametrize("size", [1, 7, 40])
def test_no_two_boxes_touch_and_all_lie_within_the_picture(size: int) -> None:
    nodes = [f"n{n}" for n in range(size)]
    edges = [(f"n{n}", f"n{m}") for n in range(size) for m in (2 * n + 1, 3 * n + 2) if m < size]
    placed = layout(nodes, edges)
    boxes = placed.boxes
    assert sorted(box.id for box in boxes) == sorted(nodes)
    for number, one in enumerate(boxes):
        assert 0 <= one.x <= placed.width - WIDTH
        assert 0 <= one.y <= placed.height - HEIGHT
        for other in boxes[number + 1 :]:
            assert abs(one.x - other.x) >= WIDTH or abs(one.y - other.y) >= HEIGHT
    assert len(placed.routes) == len(set(edges))


def test_a_long_edge_is_led_around_the_boxes_between() -> None:
    placed = layout(["a", "b", "c"], [("a", "b"), ("b", "c"), ("a", "c")])
    at = spots(placed.boxes)
    [long] = [route.path for route in placed.routes if (route.source, route.target) == ("a", "c")]
    level = int(long.split("H")[0].split()[-1])
    assert not at["b"][1] <= level <= at["b"][1] + HEIGHT


def test_lines_that_need_not_cross_do_not() -> None:
    edges = [("a", "x"), ("a", "z"), ("g", "z"), ("b", "y"), ("b", "w"), ("h", "end"), ("x", "end"), ("y", "end")]
    at = spots(layout(["h", "g", "a", "b", "x", "y", "z", "w", "end"], edges).boxes)
    assert not [
        (one, other)
        for one in edges
        for other in edges
        if at[one[0]][0] == at[other[0]][0]
        and at[one[0]][1] < at[other[0]][1]
        and at[one[1]][1] > at[other[1]][1]
        and at[one[1]][0] == at[other[1]][0]
    ]


def test_a_circle_is_drawn_all_the_same() -> None:
    placed = layout(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")])
    assert len(placed.boxes) == 3
    assert len(placed.routes) == 2


def test_the_same_graph_is_laid_out_the_same_way() -> None:
    graph = goal_graph(READER, {})
    assert picture(graph) == picture(goal_graph(READER, {}))


def test_a_label_fits_its_box_and_wide_characters_count_twice() -> None:
    assert fitted("short", 10) == "short"
    assert fitted("a" * 11, 10) == "a" * 9 + "…"
    assert fitted("编写离线阅读器", 10) == "编写离线…"
