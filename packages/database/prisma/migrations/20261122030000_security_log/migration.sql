-- The security log (contract R41): a hash chain for each tenant beside its ledger, of who logged in, who read private
-- material, and who changed what. Services insert events in the transaction of the change; the ledger service chains them.

-- What waits for the chain. `source` is the database role that inserted the row, and so cannot be claimed by another.
-- The tenant '' is the installation itself: events that belong to no tenant.
CREATE TABLE security_event (
  tenant text NOT NULL,
  id bigint GENERATED ALWAYS AS IDENTITY,
  kind text NOT NULL,
  source text NOT NULL DEFAULT current_user,
  actor text CHECK (length(actor) <= 400),
  actor_kind text CHECK (length(actor_kind) <= 40),
  subject text CHECK (length(subject) <= 400),
  request_id uuid,
  detail jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(detail) = 'object' AND length(detail::text) <= 8192),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant, id)
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

-- Where each chain ends. The generation counts for the installation's own chain; others take that of their tenant.
CREATE TABLE security_head (
  tenant text PRIMARY KEY,
  ledger_id uuid NOT NULL,
  generation uuid NOT NULL,
  sequence bigint NOT NULL DEFAULT 0,
  head text NOT NULL DEFAULT '',
  checkpoint_sequence bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
INSERT INTO security_head (tenant, ledger_id, generation) VALUES ('', gen_random_uuid(), gen_random_uuid());

-- `entry` is the canonical text that the chain is over; the columns before it are its members, to search by.
CREATE TABLE security_entry (
  tenant text NOT NULL,
  sequence bigint NOT NULL,
  previous_head text NOT NULL,
  head text NOT NULL,
  kind text NOT NULL,
  actor text,
  subject text,
  request_id uuid,
  created_at timestamptz(3) NOT NULL,
  entry text NOT NULL,
  PRIMARY KEY (tenant, sequence)
);
CREATE INDEX security_entry_kind ON security_entry (tenant, kind, sequence) WHERE kind <> '';
CREATE INDEX security_entry_actor ON security_entry (tenant, actor, sequence) WHERE actor IS NOT NULL;
CREATE INDEX security_entry_subject ON security_entry (tenant, subject, sequence) WHERE subject IS NOT NULL;
CREATE INDEX security_entry_request ON security_entry (tenant, request_id, sequence) WHERE request_id IS NOT NULL;
CREATE INDEX security_entry_time ON security_entry (tenant, created_at);

-- Signed statements of where a chain stood, as they go to the anchor store.
CREATE TABLE security_checkpoint (
  tenant text NOT NULL,
  generation uuid NOT NULL,
  sequence bigint NOT NULL,
  checkpoint text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  acceptance text,
  accepted_at timestamptz(3),
  attempts integer NOT NULL DEFAULT 0,
  error text,
  PRIMARY KEY (tenant, generation, sequence)
);
CREATE INDEX security_checkpoint_open ON security_checkpoint (tenant, sequence) WHERE acceptance IS NULL;

-- Who inserts gives neither number, nor time, nor source.
GRANT INSERT (tenant, kind, actor, actor_kind, subject, request_id, detail) ON security_event
  TO countersign_gateway, countersign_request, countersign_ledger;
GRANT SELECT, DELETE ON security_event TO countersign_ledger;
GRANT SELECT, INSERT ON security_head, security_entry, security_checkpoint TO countersign_ledger;
GRANT UPDATE (sequence, head, checkpoint_sequence) ON security_head TO countersign_ledger;
GRANT UPDATE (acceptance, accepted_at, attempts, error) ON security_checkpoint TO countersign_ledger;

-- A stolen service role cannot invent events of another service.
ALTER TABLE security_event ENABLE ROW LEVEL SECURITY;
CREATE POLICY security_event_read ON security_event FOR SELECT TO countersign_ledger USING (true);
CREATE POLICY security_event_chain ON security_event FOR DELETE TO countersign_ledger USING (true);
CREATE POLICY security_event_of_gateway ON security_event FOR INSERT TO countersign_gateway WITH CHECK (kind IN
  ('login.succeeded', 'login.refused', 'credential.refused', 'session.ended', 'step_up.required'));
CREATE POLICY security_event_of_request ON security_event FOR INSERT TO countersign_request WITH CHECK (kind IN
  ('principal.changed', 'route.changed', 'material.read', 'app.read', 'material.discarded'));
CREATE POLICY security_event_of_ledger ON security_event FOR INSERT TO countersign_ledger WITH CHECK (kind IN
  ('export.read', 'security_log.exported'));

-- An auditor reads the security log and nothing else. Made by the command line only: whom it watches cannot remove it.
ALTER TABLE principal
  DROP CONSTRAINT principal_kind_check,
  ADD CONSTRAINT principal_kind_check CHECK (kind IN ('producer', 'publisher', 'operator', 'human', 'auditor'));
