-- Tables of postgresJournal() (@countersign/guard), in the first schema of the search path. The journal's role needs SELECT,
-- INSERT, UPDATE and DELETE on both.
CREATE TABLE countersign_guard_entry (
  key text PRIMARY KEY,
  version integer NOT NULL,
  closed_at timestamptz,
  plan text,
  state text NOT NULL
);
CREATE INDEX countersign_guard_entry_open ON countersign_guard_entry (key) WHERE closed_at IS NULL;

CREATE TABLE countersign_guard_fence (
  key text PRIMARY KEY,
  passed_at timestamptz NOT NULL DEFAULT now()
);
