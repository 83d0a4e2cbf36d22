"""Proposals as files: made, edited and deleted in an editor, decided by commands, taken back by undo."""

from __future__ import annotations

from loopx.kernel.commands import AcceptProposal, AddProposal, RejectProposal
from loopx.model.proposal import Proposal, ProposalStatus
from tests.support.lab import ANN, BOT, Lab
from tests.workspace.typing import hand_commits, only_edit, waiting

PLACE = "goals/beta/proposals/a-queue.md"


def proposals(lab: Lab) -> list[Proposal]:
    return list(lab.look().state.proposals())


def only(lab: Lab) -> Proposal:
    [found] = proposals(lab)
    return found


def path_of(lab: Lab, name: str) -> str:
    [found] = [each for each in lab.root.glob("goals/*/proposals/*.md") if name in each.read_text("utf-8")]
    return found.relative_to(lab.root).as_posix()


def test_a_heading_in_a_file_of_the_folder_is_a_proposal(lab: Lab) -> None:
    lab.goal()
    lab.save(PLACE, "# Try a queue\n\nIt would smooth the peaks.\n")
    found = only(lab)
    assert (found.title, found.status) == ("Try a queue", ProposalStatus.PROPOSED)
    assert [each.actor for each in lab.ws.log(id=found.id)] == ["human:Test Person"]
    assert found.id.startswith("p-")
    assert "It would smooth the peaks." in found.body
    assert f'id: "{found.id}"' in lab.read(PLACE).decode()
    assert lab.read(PLACE).decode().endswith("# Try a queue\n\nIt would smooth the peaks.\n"), "not a byte of it moved"
    assert hand_commits(lab)[0].startswith("proposal: add")
    lab.assert_sound()


def test_a_title_in_the_header_suffices(lab: Lab) -> None:
    lab.goal()
    lab.save(PLACE, "---\ntitle: Try a queue\n---\n")
    assert only(lab).title == "Try a queue"
    lab.assert_sound()


def test_a_typed_status_is_refused_at_its_line_and_stays_as_typed(lab: Lab) -> None:
    lab.goal()
    lab.save(PLACE, "---\ntitle: Try a queue\nstatus: accepted\n---\n")
    [problem] = only_edit(lab).problems
    assert problem.code == "field-machine-owned"
    assert problem.place is not None and problem.place.line == 3
    assert proposals(lab) == []
    assert lab.read(PLACE) == b"---\ntitle: Try a queue\nstatus: accepted\n---\n"


def test_editing_accepting_and_editing_again(lab: Lab) -> None:
    lab.goal()
    made = lab.submit(AddProposal(goal="beta", title="Try a queue", body="Peaks.\n"), BOT)
    name = str(made.receipt.result["id"])
    path = path_of(lab, name)
    lab.change(path, "Peaks.", "It would smooth the peaks.")
    assert "smooth" in only(lab).body
    todo = str(lab.submit(AcceptProposal(proposal=name), ANN).receipt.result["todo"])
    assert only(lab).todo == todo and lab.todos()[todo].title == "Try a queue"
    assert "smooth" in lab.todos()[todo].body
    lab.change(path, "title: Try a queue", "title: Try two queues")
    assert waiting(lab) == {path: ["proposal-decided"]}
    lab.assert_sound(unaccepted=(path,))


def test_one_that_waits_may_be_deleted_and_an_accepted_one_comes_back(lab: Lab) -> None:
    lab.goal()
    first, second = (
        str(lab.submit(AddProposal(goal="beta", title=title)).receipt.result["id"]) for title in ("One", "Two")
    )
    (lab.root / path_of(lab, first)).unlink()
    lab.look()
    lab.clock.wait(10)
    assert [each.id for each in proposals(lab)] == [second]
    lab.submit(AcceptProposal(proposal=second))
    path = path_of(lab, second)
    (lab.root / path).unlink()
    lab.look()
    lab.clock.wait(10)
    assert only(lab).id == second
    assert waiting(lab) == {path: ["document-closed"]}


def test_undoing_the_acceptance_lets_the_proposal_wait_again(lab: Lab) -> None:
    lab.goal()
    name = str(lab.submit(AddProposal(goal="beta", title="Try a queue")).receipt.result["id"])
    lab.submit(AcceptProposal(proposal=name))
    lab.ws.undo(actor=ANN)
    assert only(lab).status is ProposalStatus.PROPOSED and only(lab).todo is None
    assert lab.todos() == {}
    lab.assert_sound()


def test_a_rollback_takes_proposals_back_by_what_they_are(lab: Lab) -> None:
    lab.goal()
    before = lab.git("rev-parse", "HEAD").strip()
    kept = str(lab.submit(AddProposal(goal="beta", title="Kept")).receipt.result["id"])
    after = lab.git("rev-parse", "HEAD").strip()
    lab.submit(RejectProposal(proposal=kept, reason="No"))
    lab.ws.roll_back(after, reason="Too early", actor=ANN)
    assert only(lab).status is ProposalStatus.PROPOSED
    lab.ws.roll_back(before, reason="From the start", actor=ANN)
    assert proposals(lab) == []
    lab.assert_sound()


def test_a_renamed_file_is_the_same_proposal_and_a_copied_one_is_a_duplicate(lab: Lab) -> None:
    lab.goal()
    lab.save(PLACE, "# Try a queue\n")
    name = only(lab).id
    (lab.root / PLACE).rename(lab.root / "goals/beta/proposals/queues.md")
    lab.clock.wait(5)
    assert only(lab).id == name
    lab.save("goals/beta/proposals/copy.md", lab.read("goals/beta/proposals/queues.md"))
    assert waiting(lab) == {"goals/beta/proposals/copy.md": ["id-duplicate"]}


def test_the_cache_made_anew_from_history_knows_the_same_proposals(lab: Lab) -> None:
    lab.goal()
    lab.save(PLACE, "# Try a queue\n")
    name = only(lab).id
    lab.submit(AcceptProposal(proposal=name))
    before = only(lab)
    lab.close()
    for each in (lab.root / "local").glob("cache*"):
        each.unlink()
    lab.restart()
    assert only(lab) == before
    assert [each.subject for each in lab.ws.log(id=name, every=True)] == [f"proposal {name}"] * 2


def test_a_proposal_committed_with_plain_git_is_taken_in_like_any_other(lab: Lab) -> None:
    lab.goal()
    lab.save(PLACE, "# Try a queue\n", quiet=False)
    lab.git("add", PLACE)
    lab.git("commit", "--quiet", "--message=An idea")
    lab.clock.wait(5)
    assert only(lab).title == "Try a queue"
    lab.assert_sound()


def test_a_folder_that_is_nearly_right_is_told_of(lab: Lab) -> None:
    lab.goal()
    lab.save("goals/beta/proposal/a-queue.md", "# Try a queue\n")
    [stray] = [each for each in lab.ws.check().warnings if each.code == "document-stray"]
    assert "proposals/a-queue.md" in stray.hint


def test_a_proposal_changes_nothing_about_what_the_goal_calls_for(lab: Lab) -> None:
    lab.goal()
    before = lab.look().state.last_change("beta")
    lab.clock.wait(3600)
    name = str(lab.submit(AddProposal(goal="beta", title="Try a queue")).receipt.result["id"])
    lab.change(path_of(lab, name), "Try a queue", "Try two queues")
    assert lab.look().state.last_change("beta") == before
    lab.submit(AcceptProposal(proposal=name))
    assert lab.look().state.last_change("beta") != before
