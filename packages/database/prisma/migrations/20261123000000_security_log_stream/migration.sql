-- The security log is sent to collectors (contract R41) by a role that reads its entries and nothing else of anybody.

-- As in the first migration: where roles are made beforehand we need no right to make any.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'countersign_security_log') THEN
    CREATE ROLE countersign_security_log NOLOGIN NOINHERIT;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- made for another database at this moment
END $$;
GRANT USAGE ON SCHEMA public TO countersign_security_log;

-- A sink has one sender at a time: who renews the lease, and until when it counts. `unsent` are entries that the sink
-- never gets.
CREATE TABLE security_sink (
  sink text PRIMARY KEY CHECK (sink IN ('lines', 'otlp', 'syslog')),
  holder uuid,
  held_until timestamptz(3),
  unsent bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

-- Up to where each chain was sent.
CREATE TABLE security_position (
  sink text NOT NULL REFERENCES security_sink (sink),
  tenant text NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (sink, tenant)
) WITH (fillfactor = 50);

GRANT SELECT (tenant, ledger_id, sequence) ON security_head TO countersign_security_log;
GRANT SELECT ON security_entry TO countersign_security_log;
GRANT SELECT, INSERT (sink, holder, held_until), UPDATE (holder, held_until, unsent) ON security_sink
  TO countersign_security_log;
GRANT SELECT, INSERT (sink, tenant, sequence), UPDATE (sequence) ON security_position TO countersign_security_log;
