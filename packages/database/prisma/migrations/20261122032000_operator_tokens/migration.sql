-- Tokens that `countersign operator` makes (contract R42). While one takes the place of another, the former one stays in the
-- same row: processes of the release before know one row for each principal, and go by the new token alone.
ALTER TABLE credential
  ADD COLUMN expires_at timestamptz(3),
  ADD COLUMN former_digest text UNIQUE,
  ADD COLUMN former_id uuid,
  ADD COLUMN former_until timestamptz(3);
GRANT SELECT (former_id) ON credential TO countersign_review, countersign_execution, countersign_ledger,
  countersign_notifier, countersign_deletion;

-- A monitor reads the figures (#28, #29) and may do nothing else. A kind of its own, so that whatever does not name it
-- refuses it, processes of the release before too.
ALTER TABLE principal
  DROP CONSTRAINT principal_kind_check,
  ADD CONSTRAINT principal_kind_check
    CHECK (kind IN ('producer', 'publisher', 'operator', 'human', 'auditor', 'monitor'));
