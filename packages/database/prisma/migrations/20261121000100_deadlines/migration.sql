-- Queues without Redis live in a schema of BullMQ's own, whose functions make a sequence for each queue. One role has it,
-- and nothing else: workers reach their data under the roles of their services.
DO $$
BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_queues') THEN
    BEGIN
      CREATE ROLE countersign_queues NOLOGIN NOINHERIT;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- made for another database at this moment
    END;
  END IF;
END $$;

-- What fails rests for a while, longer each time, so that a poisoned row holds up no other. Reconciliation has two times:
-- when an outcome should be known, and when waiting for it ends.
ALTER TABLE deadline ADD COLUMN attempts integer NOT NULL DEFAULT 0;
ALTER TABLE deadline ADD COLUMN rests_until timestamptz(3);
ALTER TABLE deadline DROP CONSTRAINT deadline_kind_check;
ALTER TABLE deadline ADD CONSTRAINT deadline_kind_check CHECK (kind IN
  ('review', 'grant', 'reconciliation', 'reconciliation_end', 'private_deletion', 'audit_deletion'));

GRANT UPDATE (attempts, rests_until) ON deadline TO countersign_request, countersign_execution, countersign_deletion;
-- An incident about an outcome that is due becomes one about an outcome that never came.
GRANT UPDATE (code) ON incident TO countersign_execution;
