"""The tables of the cache. A change of anything here raises :data:`VERSION`, and old caches are made anew."""

from __future__ import annotations

VERSION = 6
"""Kept in the file itself (``user_version``)."""

CLOSED = "('done', 'superseded', 'cancelled')"

PILING_UP = ("turn", "evidence", "effect", "handoff", "completion")
"""Kinds that are asked for newest first, however many there are."""

PILED = " OR ".join(f"kind = '{each}'" for each in PILING_UP)
"""Joined by OR: the one form in which a question that names a single kind is seen to be about them."""

FOLDER_OF_PATH = "rtrim(path, replace(path, '/', ''))"
"""The folder of a path, with its slash: an expression that is indexed."""

TABLES = f"""
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE entity (
  row INTEGER PRIMARY KEY,
  kind TEXT NOT NULL, id TEXT NOT NULL, goal TEXT NOT NULL, path TEXT NOT NULL UNIQUE, blob TEXT NOT NULL,
  status TEXT, class TEXT, priority TEXT, title_key TEXT, created TEXT, entangled INTEGER NOT NULL, data TEXT NOT NULL,
  owner TEXT
);
CREATE INDEX entity_by_id ON entity (kind, id, goal, path);
CREATE INDEX entity_by_folder ON entity ({FOLDER_OF_PATH}, path, blob);
CREATE INDEX entity_by_goal ON entity (kind, goal, id, status);
CREATE INDEX entity_by_status ON entity (kind, status, id, path);
CREATE INDEX entity_by_owner ON entity (kind, owner, created, id) WHERE owner IS NOT NULL;
CREATE INDEX entity_latest ON entity (kind, created, id) WHERE {PILED};
CREATE INDEX entity_goal_latest ON entity (kind, goal, created, id) WHERE {PILED};
CREATE INDEX entity_goal_owner_latest ON entity (kind, goal, owner, created, id) WHERE {PILED};
CREATE INDEX entity_by_title ON entity (goal, title_key) WHERE kind = 'todo' AND status NOT IN {CLOSED};
CREATE INDEX entity_frontier ON entity (priority, created, id) WHERE kind = 'todo' AND status = 'open';
CREATE INDEX entity_goal_frontier ON entity (goal, priority, created, id) WHERE kind = 'todo' AND status = 'open';
CREATE INDEX entity_entangled ON entity (goal, id) WHERE kind = 'todo' AND status = 'open' AND entangled = 1;

CREATE TABLE entity_ref (row INTEGER NOT NULL, dst TEXT NOT NULL, PRIMARY KEY (row, dst)) WITHOUT ROWID;
CREATE INDEX entity_ref_by_dst ON entity_ref (dst, row);

CREATE TABLE tally (
  goal TEXT NOT NULL, status TEXT NOT NULL, entangled INTEGER NOT NULL, count INTEGER NOT NULL,
  PRIMARY KEY (goal, status, entangled)
) WITHOUT ROWID;
CREATE TRIGGER entity_counted AFTER INSERT ON entity WHEN new.kind = 'todo' BEGIN
  INSERT INTO tally VALUES (new.goal, new.status, new.entangled, 1)
  ON CONFLICT DO UPDATE SET count = count + 1;
END;
CREATE TRIGGER entity_dropped AFTER DELETE ON entity BEGIN
  DELETE FROM entity_ref WHERE row = old.row;
  UPDATE tally SET count = count - 1
  WHERE old.kind = 'todo' AND goal = old.goal AND status = old.status AND entangled = old.entangled;
END;

CREATE TABLE version (
  path TEXT NOT NULL, blob TEXT NOT NULL, seq INTEGER NOT NULL, oid TEXT NOT NULL,
  PRIMARY KEY (path, seq, blob)
) WITHOUT ROWID;
CREATE TABLE known_id (id TEXT PRIMARY KEY) WITHOUT ROWID;

CREATE TABLE log (
  seq INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, at TEXT NOT NULL, author TEXT NOT NULL, actor TEXT NOT NULL,
  origin TEXT NOT NULL, command TEXT NOT NULL, operation TEXT, subject TEXT NOT NULL, goal TEXT NOT NULL,
  headline TEXT NOT NULL, result TEXT NOT NULL, ids TEXT NOT NULL, paths TEXT NOT NULL, superseded_by TEXT
);
CREATE INDEX log_by_goal ON log (goal, seq);
CREATE INDEX log_by_subject ON log (subject, seq);
CREATE INDEX log_by_operation ON log (operation) WHERE operation IS NOT NULL;
CREATE TABLE log_id (id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (id, seq)) WITHOUT ROWID;

CREATE TABLE folder (name TEXT PRIMARY KEY, content BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE parsed (blob TEXT PRIMARY KEY, kind TEXT NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE pending (
  path TEXT PRIMARY KEY, content TEXT, head TEXT, state TEXT NOT NULL, problems TEXT NOT NULL, since TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE unreadable (path TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE absence (path TEXT PRIMARY KEY, first_seen TEXT NOT NULL) WITHOUT ROWID;
"""
