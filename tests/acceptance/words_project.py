"""A small real project: a Python package, its unit tests, a build script, two tools that write code, and an agent.

Everything here is carried out for real by the tests of real work; nothing is scripted inside LoopX.
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path

from tests.support.project import Project

FILES = {
    "words/__init__.py": '"""Words."""\n',
    "words/counting.py": "def count(text: str) -> int:\n    return len(text.split())\n",
    "checks/__init__.py": "",
    "checks/test_counting.py": """\
import unittest

from words.counting import count


class Counting(unittest.TestCase):
    def test_words_are_counted(self):
        self.assertEqual(count("to be or not"), 4)
""",
    "checks/test_slugs.py": """\
import unittest

from words.slugs import slug


class Slugs(unittest.TestCase):
    def test_a_title_becomes_a_link(self):
        self.assertEqual(slug("Hello, World!"), "hello-world")

    def test_nothing_is_left_at_the_ends(self):
        self.assertEqual(slug("  -- Yes --  "), "yes")
""",
    "make.sh": """\
#!/bin/sh
# What can be made here: `make.sh test`, `make.sh build`.
set -eu
case "$1" in
test) PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -m unittest --quiet ;;
build) mkdir -p dist && cat words/*.py docs/slugs.md >dist/words.txt && echo "built $(wc -c <dist/words.txt) bytes" ;;
*) echo "nothing called $1 can be made" >&2 && exit 2 ;;
esac
""",
    "tools/quick.py": """\
\"\"\"Writes a module, badly.\"\"\"
import sys
from pathlib import Path

Path(sys.argv[1]).write_text("def slug(text: str) -> str:\\n    return text.lower().replace(' ', '-')\\n")
print("written in a hurry")
""",
    "tools/careful.py": """\
\"\"\"Writes a module as its tests want it.\"\"\"
import sys
from pathlib import Path

Path(sys.argv[1]).write_text(
    'import re\\n\\n\\ndef slug(text: str) -> str:\\n    return "-".join(re.findall("[a-z0-9]+", text.lower()))\\n'
)
print("written with care")
""",
    "tools/agent.py": """\
\"\"\"Stands in for a coding agent: a prompt on its standard input, JSON out. It needs to know what links are for.\"\"\"
import json
import sys
from pathlib import Path

prompt = sys.stdin.read()
assert "docs/slugs.md" in prompt, prompt
known = Path("AUDIENCE").read_text() if Path("AUDIENCE").exists() else ""
Path("docs/slugs.md").write_text(f"# Slugs\\n\\nFor {known.strip() or 'people who write novels'}.\\n")
said = {"output": "wrote docs/slugs.md", "tokens": 700, "cost": 0.25}
if not known:
    Path("docs/novels.md").write_text("# Novels\\n")
    said["drift"] = "I wrote about novels, nobody said whom it is for"
print(json.dumps(said))
""",
    "docs/notes.md": "Notes.\n",
    "LICENSE": "Do as you like.\n",
    ".gitignore": "__pycache__/\ndist/\n",
}


def make(root: Path) -> Project:
    """The project with one commit; ``words/slugs.py``, which its tests want, is not written yet."""
    root.mkdir(parents=True)
    project = Project(root)
    project.git("init", "--quiet", "--initial-branch=main")
    for path, text in FILES.items():
        file = project.write(path, text.replace("$PYTHON", sys.executable) if path == "make.sh" else text)
        if path.endswith(".sh"):
            file.chmod(file.stat().st_mode | stat.S_IXUSR)
    project.git("add", "--all")
    project.git("commit", "--quiet", "--message=words")
    return project


TOOLS = f"""\
tools:
  - name: never
    argv: ["false"]
  - name: quick
    argv: ["{sys.executable}", "tools/quick.py"]
  - name: careful
    argv: ["{sys.executable}", "tools/careful.py"]
    instead_of: [quick]
  - name: agent
    argv: ["{sys.executable}", "tools/agent.py"]
"""
"""Lines for ``workspace.yaml``."""

PLAN = """\
objective: Titles become links, and it is written down
steps:
  - id: survey
    title: See what is there
    effects: [read]
    action: {argv: [git, ls-files, words]}
    evaluate: [{kind: contains, value: words/counting.py}]
    verify: [{kind: command, argv: [test, -x, make.sh]}]
  - id: start
    title: Begin the module
    write_scopes: ["words/**"]
    action: {argv: [sh, -c, "echo '# to be written' >words/slugs.py"]}
    depends_on: [survey]
    verify: [{kind: command, argv: [test, -s, words/slugs.py]}]
  - id: slugs # tried again, later again, then with the other tool
    title: Write the module so that its tests pass
    write_scopes: ["words/**"]
    tool: quick
    action: {argv: [words/slugs.py]}
    depends_on: [start]
    verify: [{kind: command, argv: [./make.sh, test], clean_checkout: true}]
  - id: explain
    title: Say what slugs are for
    write_scopes: ["docs/**"]
    tool: agent
    action: {actor: agent, prompt: "Write docs/slugs.md, about what slugs are for."}
    depends_on: [slugs]
    verify: [{kind: command, argv: [grep, -q, For editors, docs/slugs.md]}]
  - id: build
    title: Put everything into one file
    write_scopes: ["dist/**"]
    action: {argv: [./make.sh, build]}
    depends_on: [slugs, explain]
    evaluate: [{kind: regex, value: "^built +[0-9]+ bytes$"}]
    verify: [{kind: command, argv: [test, -s, dist/words.txt], clean_checkout: true, carry: [dist]}]
  - id: count
    title: Count what was built
    effects: [read]
    action: {argv: [python3, -c, "from words.counting import count; print(count(open('dist/words.txt').read()))"]}
    depends_on: [build]
    verify: [{kind: regex, value: "^[0-9]+$"}]
"""
