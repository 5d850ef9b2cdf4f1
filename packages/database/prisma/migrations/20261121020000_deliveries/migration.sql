-- What is told to whom: a delivery names an event and a principal. The address is read from the directory when it is
-- sent, so nothing private lies here.
ALTER TABLE delivery
  -- The event's record.
  ADD COLUMN event_id uuid,
  ADD COLUMN recipient text,
  -- When it is sent next; while somebody sends it, when that claim ends.
  ADD COLUMN next_at timestamptz(3),
  -- Who sends it now: only the holder says how it went.
  ADD COLUMN claim_id uuid,
  -- Digest of destination and authority as they were at the claim.
  ADD COLUMN fingerprint text;
-- Each says something that only those say for whom it is: to whoever has the key of a delivery they are of no use.
CREATE INDEX delivery_due ON delivery (next_at) WHERE state = 'pending' AND recipient <> '';
DROP INDEX delivery_request;
CREATE INDEX delivery_request ON delivery (tenant, request_id, created_at DESC) WHERE request_id IS NOT NULL;
DROP INDEX delivery_state;
CREATE INDEX delivery_state ON delivery (tenant, kind, state, created_at) WHERE kind <> '';

-- How far the chain has been read for deliveries: who moves it makes them, and it moves once. What was chained before
-- there were any is not told any more.
CREATE TABLE delivery_cursor (
  tenant text PRIMARY KEY,
  sequence bigint NOT NULL
) WITH (fillfactor = 50);
INSERT INTO delivery_cursor (tenant, sequence) SELECT tenant, sequence FROM ledger_head;

-- Whether a tenant has any webhook at all.
CREATE INDEX principal_webhook ON principal (tenant) WHERE config ? 'webhook';

-- Mails to one person in one hour (contract §11.6).
CREATE TABLE mail_window (
  tenant text NOT NULL,
  recipient text NOT NULL,
  hour timestamptz(3) NOT NULL,
  sent integer NOT NULL,
  PRIMARY KEY (tenant, recipient, hour)
) WITH (fillfactor = 50);

-- Everybody reads the directory; this only the sender does, and not even who writes it.
CREATE TABLE webhook_secret (
  tenant text NOT NULL,
  principal text NOT NULL,
  secret text NOT NULL,
  PRIMARY KEY (tenant, principal),
  FOREIGN KEY (tenant, principal) REFERENCES principal (tenant, id)
);
INSERT INTO webhook_secret (tenant, principal, secret)
  SELECT tenant, id, config ->> 'webhook_secret' FROM principal WHERE config ? 'webhook_secret';
UPDATE principal SET config = config - 'webhook_secret' WHERE config ? 'webhook_secret';

GRANT INSERT, DELETE ON webhook_secret TO countersign_request;
GRANT SELECT (tenant, principal) ON webhook_secret TO countersign_request;
GRANT SELECT ON webhook_secret TO countersign_notifier;

REVOKE UPDATE ON delivery FROM countersign_notifier;
GRANT UPDATE (state, attempts, error, next_at, claim_id, fingerprint) ON delivery TO countersign_notifier;
GRANT SELECT (tenant, sequence) ON ledger_head TO countersign_notifier;
GRANT SELECT (tenant, sequence, request_id, type, record_id) ON ledger_entry TO countersign_notifier;
GRANT SELECT, INSERT, UPDATE (sequence) ON delivery_cursor TO countersign_notifier;
GRANT SELECT, INSERT, UPDATE (sent) ON mail_window TO countersign_notifier;
GRANT SELECT, DELETE ON mail_window TO countersign_deletion;
