-- The house: every truth of Countersign, and who may touch it.
-- Times are timestamptz(3): the wire has exactly three fractional digits.
-- Tables lead with `tenant`, so that they can be partitioned and sharded by it.

-- Services act as these group roles: they own nothing and cannot log in by themselves.
-- A login role per service is made a member of exactly one of them (docs/operations.md).
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['countersign_gateway', 'countersign_request', 'countersign_review',
    'countersign_execution', 'countersign_ledger', 'countersign_notifier', 'countersign_deletion']
  LOOP
    -- Roles belong to the server, not to this database. Where they are made beforehand we need no right to make any.
    CONTINUE WHEN EXISTS (SELECT FROM pg_roles WHERE rolname = name);
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN NOINHERIT', name);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- made for another database at this moment
    END;
  END LOOP;
END $$;

REVOKE ALL ON SCHEMA public FROM PUBLIC;
-- Temporary tables come first in every search path, and could stand in for ours.
DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database()); END $$;
GRANT USAGE ON SCHEMA public TO countersign_gateway, countersign_request, countersign_review,
  countersign_execution, countersign_ledger, countersign_notifier, countersign_deletion;

-- Directory: tenants, principals, routes -------------------------------------------------------

-- `directory_revision` moves with every change of a principal, route, fence or generation, made under
-- FOR UPDATE. Transitions hold the row FOR KEY SHARE and compare the revision they decided with:
-- cheap for them, and a decision on a stale directory can never commit.
-- `hold` is never written: row locks ask for an UPDATE privilege, and this is the harmless column to grant it on.
CREATE TABLE tenant (
  tenant text PRIMARY KEY,
  ledger_id uuid NOT NULL UNIQUE,
  generation uuid NOT NULL,
  fenced boolean NOT NULL,
  fence_reason text,
  directory_revision bigint NOT NULL DEFAULT 1,
  hold boolean,
  quotas jsonb NOT NULL DEFAULT '{}',
  created_at timestamptz(3) NOT NULL
);

CREATE TABLE principal (
  tenant text NOT NULL REFERENCES tenant,
  id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('producer', 'publisher', 'operator', 'human')),
  enabled boolean NOT NULL,
  config jsonb NOT NULL,
  oidc_issuer text,
  oidc_subject text,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX principal_person ON principal (oidc_issuer, oidc_subject) WHERE oidc_subject IS NOT NULL;

-- Only digests of bearer tokens are kept.
CREATE TABLE credential (
  digest text PRIMARY KEY,
  tenant text NOT NULL,
  principal text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (tenant, principal),
  FOREIGN KEY (tenant, principal) REFERENCES principal (tenant, id)
);

CREATE TABLE route (
  tenant text NOT NULL REFERENCES tenant,
  id text NOT NULL,
  revision integer NOT NULL,
  config jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, id)
);

-- Who reviews what: `route.config` turned round, for a reviewer's list.
CREATE TABLE route_reviewer (
  tenant text NOT NULL,
  reviewer text NOT NULL,
  route text NOT NULL,
  PRIMARY KEY (tenant, reviewer, route),
  FOREIGN KEY (tenant, route) REFERENCES route (tenant, id)
);

CREATE TABLE bundle (
  tenant text NOT NULL,
  id uuid NOT NULL,
  publisher text NOT NULL,
  digest text NOT NULL,
  manifest text NOT NULL,
  html text,
  bytes bigint NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, id)
);

-- Requests --------------------------------------------------------------------------------------

-- The immutable request, as its canonical text; `digest` is the request digest.
CREATE TABLE request (
  tenant text NOT NULL,
  id uuid NOT NULL,
  owner text NOT NULL,
  route text NOT NULL,
  purpose text NOT NULL CHECK (purpose IN ('review', 'authorise_execution')),
  summary text NOT NULL,
  digest text NOT NULL,
  canonical text NOT NULL,
  -- What other tables are joined by; both stand in `canonical` too.
  occurrence text,
  bundle_id uuid,
  PRIMARY KEY (tenant, id)
);

-- Private material, removed on time. JSON parts are canonical text.
CREATE TABLE material (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  payload text NOT NULL,
  response_schema text NOT NULL,
  review_document text NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (tenant, request_id)
);

-- The one mutable row of a request, and its lock: four states, the revision (events so far), the deadlines.
-- `version` moves with every write; transitions compare and set it.
CREATE TABLE lifecycle (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  owner text NOT NULL,
  route text NOT NULL,
  decision text NOT NULL CHECK (decision IN ('pending', 'confirmed', 'cancelled', 'expired', 'superseded')),
  audit text NOT NULL CHECK (audit IN ('unanchored', 'pending', 'anchored', 'conflict')),
  grant_state text NOT NULL CHECK (grant_state IN
    ('not_applicable', 'none', 'pending_anchor', 'available', 'expired', 'revoked', 'consumed')),
  execution text NOT NULL CHECK (execution IN ('not_applicable', 'unclaimed', 'claimed', 'admitted', 'completed',
    'failed', 'failed_partial', 'uncertain', 'cancelled_before_dispatch', 'abandoned')),
  revision integer NOT NULL,
  version integer NOT NULL,
  invalidated text,
  accepted_at timestamptz(3) NOT NULL,
  review_deadline timestamptz(3) NOT NULL,
  grant_deadline timestamptz(3),
  private_delete_at timestamptz(3) NOT NULL,
  audit_delete_at timestamptz(3) NOT NULL,
  material_deleted boolean NOT NULL DEFAULT false,
  reminded_at timestamptz(3),
  receipt_id uuid,
  claim_id uuid,
  outcome_id uuid,
  admissions integer NOT NULL DEFAULT 0,
  receipt_sequence bigint,
  anchor_sequence bigint,
  anchor_generation uuid,
  PRIMARY KEY (tenant, request_id)
) WITH (fillfactor = 70);
-- Lists merge the newest of each decision state; what moves after confirmation is in no index, so those updates stay HOT.
CREATE INDEX lifecycle_tenant_newest ON lifecycle (tenant, decision, accepted_at DESC, request_id);
CREATE INDEX lifecycle_owner_newest ON lifecycle (tenant, owner, decision, accepted_at DESC, request_id);
CREATE INDEX lifecycle_route_newest ON lifecycle (tenant, route, decision, accepted_at DESC, request_id);
CREATE INDEX lifecycle_pending ON lifecycle (tenant, owner, review_deadline) WHERE decision = 'pending';

-- An action occurrence belongs to one request at a time and is consumed at most once, for ever.
CREATE TABLE occurrence (
  tenant text NOT NULL,
  owner text NOT NULL,
  occurrence text NOT NULL,
  request_id uuid NOT NULL,
  consumed_by uuid,
  PRIMARY KEY (tenant, owner, occurrence)
);

CREATE TABLE execution_identity (
  tenant text NOT NULL,
  owner text NOT NULL,
  identity text NOT NULL,
  request_id uuid NOT NULL,
  PRIMARY KEY (tenant, owner, identity)
);

CREATE TABLE nonce (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  nonce text NOT NULL,
  PRIMARY KEY (tenant, request_id, nonce)
);

CREATE TABLE assignment (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  id uuid NOT NULL,
  reviewer text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, request_id)
);

-- Every frozen answer of a reviewer; the highest live revision is that reviewer's candidate.
CREATE TABLE candidate (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  reviewer text NOT NULL,
  revision integer NOT NULL,
  id uuid NOT NULL,
  digest text NOT NULL,
  candidate text NOT NULL,
  live boolean NOT NULL DEFAULT true,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, request_id, reviewer, revision)
);

-- Evidence --------------------------------------------------------------------------------------

-- Signed originals as canonical text. Nobody may change one; only the deletion role may null a text whose time has come.
CREATE TABLE record (
  tenant text NOT NULL,
  id uuid NOT NULL,
  request_id uuid,
  type text NOT NULL,
  digest text NOT NULL,
  issued_at timestamptz(3) NOT NULL,
  record text,
  PRIMARY KEY (tenant, id)
);
ALTER TABLE record ALTER COLUMN record SET COMPRESSION pglz;
CREATE INDEX record_request ON record (tenant, request_id, id) WHERE request_id IS NOT NULL;

-- What is committed but not yet chained. Ids are given after the request's row lock was taken,
-- so one request's records stand in the order of its revisions.
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  tenant text NOT NULL,
  record_id uuid NOT NULL,
  request_id uuid,
  type text NOT NULL,
  digest text NOT NULL,
  audience text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
) WITH (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);
CREATE INDEX outbox_tenant ON outbox (tenant, id);

CREATE TABLE ledger_head (
  tenant text PRIMARY KEY,
  sequence bigint NOT NULL,
  head text NOT NULL,
  -- Newest decision, newest checkpoint, newest checkpoint whose decisions are anchored.
  decided_sequence bigint NOT NULL DEFAULT 0,
  checkpoint_sequence bigint NOT NULL DEFAULT 0,
  anchored_sequence bigint NOT NULL DEFAULT 0
);

CREATE TABLE ledger_entry (
  tenant text NOT NULL,
  sequence bigint NOT NULL CHECK (sequence BETWEEN 1 AND 9007199254740991),
  request_id uuid,
  type text NOT NULL,
  previous_head text NOT NULL,
  head text NOT NULL,
  record_digest text NOT NULL,
  record_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, sequence)
);
CREATE INDEX ledger_entry_request ON ledger_entry (tenant, request_id, sequence) WHERE request_id IS NOT NULL;

-- One gap-free feed per owner.
CREATE TABLE event_head (
  tenant text NOT NULL,
  owner text NOT NULL,
  sequence bigint NOT NULL,
  PRIMARY KEY (tenant, owner)
);
CREATE TABLE event (
  tenant text NOT NULL,
  owner text NOT NULL,
  sequence bigint NOT NULL,
  request_id uuid NOT NULL,
  record_id uuid NOT NULL,
  PRIMARY KEY (tenant, owner, sequence)
);

CREATE TABLE checkpoint (
  tenant text NOT NULL,
  generation uuid NOT NULL,
  sequence bigint NOT NULL,
  previous_sequence bigint NOT NULL,
  record text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  acceptance text,
  accepted_at timestamptz(3),
  applied boolean NOT NULL DEFAULT false,
  attempts integer NOT NULL DEFAULT 0,
  error text,
  PRIMARY KEY (tenant, generation, sequence)
);
CREATE INDEX checkpoint_open ON checkpoint (tenant, sequence) WHERE NOT applied;

-- Answers, deadlines, deliveries ------------------------------------------------------------------

-- A key's stored answer: `result` as served, or the record that is the answer. Keys never become reusable.
CREATE TABLE idempotency (
  tenant text NOT NULL,
  principal text NOT NULL,
  operation text NOT NULL,
  key text NOT NULL,
  digest text NOT NULL,
  status smallint NOT NULL,
  result text,
  record_id uuid,
  request_id uuid,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, principal, operation, key)
);

CREATE TABLE deadline (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('review', 'grant', 'reconciliation', 'private_deletion', 'audit_deletion')),
  due timestamptz(3) NOT NULL,
  done_at timestamptz(3),
  PRIMARY KEY (tenant, request_id, kind)
);
CREATE INDEX deadline_due ON deadline (due) WHERE done_at IS NULL;
-- This row of an execution lives from its claim to its first outcome, so these few rows find what is unresolved. An index
-- on `lifecycle.execution` would find it too, and cost claim, admission and outcome an entry in every index of that table.
CREATE INDEX deadline_unresolved ON deadline (tenant, request_id) WHERE kind = 'reconciliation';

CREATE TABLE delivery (
  tenant text NOT NULL,
  id uuid NOT NULL,
  request_id uuid,
  kind text NOT NULL CHECK (kind IN ('smtp', 'webhook', 'checkpoint')),
  state text NOT NULL CHECK (state IN ('pending', 'accepted', 'failed', 'expired')),
  attempts integer NOT NULL DEFAULT 0,
  error text,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX delivery_request ON delivery (tenant, request_id, created_at DESC);
CREATE INDEX delivery_state ON delivery (tenant, kind, state, created_at);

CREATE TABLE incident (
  tenant text NOT NULL,
  id uuid NOT NULL,
  code text NOT NULL,
  request_id uuid,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, id)
);
CREATE INDEX incident_newest ON incident (tenant, created_at DESC);

-- Figures that no other table tells: what the edge answered to authenticated callers, and when the work in the background
-- last went well and last failed.
CREATE TABLE http_count (
  tenant text PRIMARY KEY,
  total bigint NOT NULL,
  failures bigint NOT NULL,
  conflicts bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE operation_run (
  tenant text NOT NULL,
  name text NOT NULL CHECK (name IN ('outbox', 'retention')),
  succeeded_at timestamptz(3),
  failed_at timestamptz(3),
  PRIMARY KEY (tenant, name)
) WITH (fillfactor = 50);

-- Quotas: shared by every process, so the figures do not depend on the number of replicas.
CREATE TABLE quota_day (
  tenant text NOT NULL,
  scope text NOT NULL,
  subject text NOT NULL,
  day date NOT NULL,
  used integer NOT NULL,
  PRIMARY KEY (tenant, scope, subject, day)
);
CREATE TABLE quota_bucket (
  tenant text NOT NULL,
  scope text NOT NULL,
  subject text NOT NULL,
  tokens double precision NOT NULL,
  filled_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, scope, subject)
) WITH (fillfactor = 50);
-- Bytes kept are the sum over the slots, of which each may be negative: a creation adds to any one of them, so an
-- owner's creations do not wait for one another's commits.
CREATE TABLE retained (
  tenant text NOT NULL,
  scope text NOT NULL CHECK (scope IN ('owner', 'publisher')),
  subject text NOT NULL,
  slot smallint NOT NULL DEFAULT floor(random() * 64),
  bytes bigint NOT NULL,
  PRIMARY KEY (tenant, scope, subject, slot)
) WITH (fillfactor = 50);

-- People and bodies on their way ------------------------------------------------------------------

CREATE TABLE session (
  digest text PRIMARY KEY,
  tenant text NOT NULL,
  principal text NOT NULL,
  csrf text NOT NULL,
  authenticated_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX session_expiry ON session (expires_at);

CREATE TABLE login_attempt (
  digest text PRIMARY KEY,
  state text NOT NULL,
  nonce text NOT NULL,
  code_verifier text NOT NULL,
  return_to text NOT NULL,
  session_digest text,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  claimed_at timestamptz(3)
);
CREATE INDEX login_attempt_expiry ON login_attempt (expires_at);

-- Bodies too large for a message, alive for one hop; losing them in a crash loses nothing.
CREATE UNLOGGED TABLE parcel (
  id uuid PRIMARY KEY,
  body bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
ALTER TABLE parcel ALTER COLUMN body SET STORAGE EXTERNAL;

-- The chain -----------------------------------------------------------------------------------

-- Appends up to `most` committed records of one tenant to its chain: one writer at a time (the head row),
-- one transaction, exactly once. Gives owners' events their numbers on the way.
-- Returns the new head; whether a decision is on the chain without a checkpoint; whether a checkpoint is still being
-- anchored; the sequence of the newest checkpoint. No row when another writer holds the chain; `appended` 0 when
-- nothing waited.
CREATE FUNCTION ledger_drain(of_tenant text, most integer)
RETURNS TABLE (appended integer, sequence bigint, head text, remaining boolean, decided boolean, anchoring boolean,
  checkpointed bigint)
LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
  chain ledger_head%ROWTYPE;
  row outbox%ROWTYPE;
  previous text;
  heads text[] := '{}';
  previouses text[] := '{}';
  ids bigint[] := '{}';
BEGIN
  SELECT * INTO chain FROM ledger_head h WHERE h.tenant = of_tenant FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN; END IF;
  sequence := chain.sequence;
  previous := chain.head;
  checkpointed := chain.checkpoint_sequence;
  anchoring := chain.anchored_sequence < chain.checkpoint_sequence;
  FOR row IN SELECT * FROM outbox o WHERE o.tenant = of_tenant ORDER BY o.id LIMIT most LOOP
    sequence := sequence + 1;
    previouses := previouses || previous;
    -- The canonical form of {previous, record_digest, sequence} is this fixed text (contract §4.1).
    previous := 'sha256:' || encode(sha256(convert_to('{"previous":"' || previous || '","record_digest":"'
      || row.digest || '","sequence":' || sequence || '}', 'UTF8')), 'hex');
    heads := heads || previous;
    ids := ids || row.id;
    IF row.type = 'DecisionReceipt' THEN chain.decided_sequence := sequence; END IF;
  END LOOP;
  appended := coalesce(array_length(ids, 1), 0);
  head := previous;
  remaining := appended = most;
  decided := chain.decided_sequence > chain.checkpoint_sequence;
  IF appended > 0 THEN
    IF sequence > 9007199254740991 THEN RAISE EXCEPTION 'ledger_exhausted'; END IF;
    WITH taken AS (
      DELETE FROM outbox o WHERE o.id = ANY (ids) RETURNING o.*
    ), numbered AS (
      SELECT t.*, array_position(ids, t.id) AS place FROM taken t
    ), chained AS (
      INSERT INTO ledger_entry (tenant, sequence, request_id, type, previous_head, head, record_digest, record_id, created_at)
      SELECT of_tenant, chain.sequence + n.place, n.request_id, n.type, previouses[n.place], heads[n.place],
        n.digest, n.record_id, clock_timestamp()
      FROM numbered n ORDER BY n.place
    ), per_owner AS (
      SELECT n.audience AS owner, count(*) AS many FROM numbered n WHERE n.type = 'RequestChangedEvent' GROUP BY 1
    ), event_numbers AS (
      INSERT INTO event_head AS e (tenant, owner, sequence) SELECT of_tenant, p.owner, p.many FROM per_owner p ORDER BY 2
      ON CONFLICT (tenant, owner) DO UPDATE SET sequence = e.sequence + EXCLUDED.sequence
      RETURNING e.owner, e.sequence
    )
    INSERT INTO event (tenant, owner, sequence, request_id, record_id)
    SELECT of_tenant, n.audience,
      v.sequence - p.many + row_number() OVER (PARTITION BY n.audience ORDER BY n.place),
      n.request_id, n.record_id
    FROM numbered n JOIN per_owner p ON p.owner = n.audience JOIN event_numbers v ON v.owner = n.audience
    WHERE n.type = 'RequestChangedEvent';
    UPDATE ledger_head h SET sequence = ledger_drain.sequence, head = ledger_drain.head,
      decided_sequence = chain.decided_sequence WHERE h.tenant = of_tenant;
  END IF;
  RETURN NEXT;
END $$;

-- Quotas of contract §9.2 for one creation, exact under parallel calls: the tenant's row of the day is the lock,
-- held until the creation's own commit. Raises the refusal's code (SQLSTATE 'CSQ01') and so undoes the whole statement.
CREATE FUNCTION take_creation_quota(of_tenant text, of_owner text, of_route text, new_bytes bigint,
  of_publisher text, retained_limit bigint, amounts jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
  scopes text[] := ARRAY['tenant', 'owner', 'route'];
  subjects text[] := ARRAY['', of_owner, of_route];
  today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  place integer;
  now_used integer;
  kept bigint;
BEGIN
  FOR place IN 1..3 LOOP
    INSERT INTO quota_day AS q (tenant, scope, subject, day, used) VALUES (of_tenant, scopes[place], subjects[place], today, 1)
    ON CONFLICT (tenant, scope, subject, day) DO UPDATE SET used = q.used + 1 RETURNING used INTO now_used;
    IF now_used > (amounts ->> ('daily_' || scopes[place]))::integer THEN
      RAISE EXCEPTION 'daily_quota' USING ERRCODE = 'CSQ01';
    END IF;
  END LOOP;
  PERFORM refuse_outstanding(of_tenant, of_owner, amounts);
  PERFORM take_token(of_tenant, 'creation_tenant', '', (amounts ->> 'tenant_per_minute')::float8, (amounts ->> 'tenant_burst')::float8, 'creation_rate');
  PERFORM take_token(of_tenant, 'creation_owner', of_owner, (amounts ->> 'owner_per_minute')::float8, (amounts ->> 'owner_burst')::float8, 'creation_rate');
  SELECT coalesce(sum(bytes), 0) INTO kept FROM retained
  WHERE tenant = of_tenant AND ((scope = 'owner' AND subject = of_owner) OR (scope = 'publisher' AND subject = of_publisher));
  IF kept + new_bytes > retained_limit THEN RAISE EXCEPTION 'retained_quota' USING ERRCODE = 'CSQ01'; END IF;
  RETURN true;
END $$;

CREATE FUNCTION refuse_outstanding(of_tenant text, of_owner text, amounts jsonb) RETURNS void
LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
  most integer := (amounts ->> 'outstanding_owner')::integer;
  most_of_tenant integer := (amounts ->> 'outstanding_tenant')::integer;
  many integer;
BEGIN
  SELECT count(*) INTO many FROM (SELECT 1 FROM lifecycle WHERE tenant = of_tenant AND owner = of_owner
    AND decision = 'pending' AND review_deadline > clock_timestamp() LIMIT most) l;
  IF many >= most THEN RAISE EXCEPTION 'outstanding_quota' USING ERRCODE = 'CSQ01'; END IF;
  SELECT count(*) INTO many FROM (SELECT 1 FROM lifecycle WHERE tenant = of_tenant
    AND decision = 'pending' AND review_deadline > clock_timestamp() LIMIT most_of_tenant) l;
  IF many >= most_of_tenant THEN RAISE EXCEPTION 'outstanding_quota' USING ERRCODE = 'CSQ01'; END IF;
END $$;

-- The refusal that a creation would meet now, or null; takes nothing (contract §6.1 step 5: asked before the body is read).
CREATE FUNCTION creation_refusal(of_tenant text, of_owner text, of_publisher text, retained_limit bigint, amounts jsonb)
RETURNS text LANGUAGE plpgsql SET search_path = public AS $$
DECLARE today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
  IF EXISTS (SELECT 1 FROM quota_day WHERE tenant = of_tenant AND day = today AND (
      (scope = 'tenant' AND subject = '' AND used >= (amounts ->> 'daily_tenant')::integer)
      OR (scope = 'owner' AND subject = of_owner AND used >= (amounts ->> 'daily_owner')::integer))) THEN
    RETURN 'daily_quota';
  END IF;
  BEGIN
    PERFORM refuse_outstanding(of_tenant, of_owner, amounts);
  EXCEPTION WHEN SQLSTATE 'CSQ01' THEN RETURN 'outstanding_quota';
  END;
  IF token_left(of_tenant, 'creation_tenant', '', (amounts ->> 'tenant_per_minute')::float8, (amounts ->> 'tenant_burst')::float8) < 1
    OR token_left(of_tenant, 'creation_owner', of_owner, (amounts ->> 'owner_per_minute')::float8, (amounts ->> 'owner_burst')::float8) < 1 THEN
    RETURN 'creation_rate';
  END IF;
  IF (SELECT coalesce(sum(bytes), 0) FROM retained WHERE tenant = of_tenant AND ((scope = 'owner' AND subject = of_owner)
      OR (scope = 'publisher' AND subject = of_publisher))) >= retained_limit THEN
    RETURN 'retained_quota';
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION bundle_refusal(of_tenant text, of_publisher text, amounts jsonb) RETURNS text
LANGUAGE plpgsql SET search_path = public AS $$
DECLARE today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
BEGIN
  IF EXISTS (SELECT 1 FROM quota_day WHERE tenant = of_tenant AND day = today AND (
      (scope = 'bundle_tenant' AND used >= (amounts ->> 'bundle_daily_tenant')::integer)
      OR (scope = 'bundle_publisher' AND subject = of_publisher AND used >= (amounts ->> 'bundle_daily_publisher')::integer))) THEN
    RETURN 'bundle_daily_quota';
  END IF;
  IF token_left(of_tenant, 'bundle_tenant', '', (amounts ->> 'bundle_tenant_per_minute')::float8, (amounts ->> 'bundle_tenant_burst')::float8) < 1
    OR token_left(of_tenant, 'bundle_publisher', of_publisher, (amounts ->> 'bundle_publisher_per_minute')::float8,
      (amounts ->> 'bundle_publisher_burst')::float8) < 1 THEN
    RETURN 'bundle_rate';
  END IF;
  RETURN NULL;
END $$;

-- Tokens in a bucket now, without taking one; a bucket nobody has used is full.
CREATE FUNCTION token_left(of_tenant text, of_scope text, of_subject text, per_minute float8, burst float8) RETURNS float8
LANGUAGE sql SET search_path = public AS $$
  SELECT coalesce((SELECT least(burst, b.tokens + greatest(0, extract(epoch FROM clock_timestamp() - b.filled_at)) * per_minute / 60)
    FROM quota_bucket b WHERE b.tenant = of_tenant AND b.scope = of_scope AND b.subject = of_subject), burst)
$$;

-- A token bucket that starts full and refills continuously; refuses when less than one token is left.
CREATE FUNCTION take_token(of_tenant text, of_scope text, of_subject text, per_minute float8, burst float8, refusal text)
RETURNS void LANGUAGE plpgsql SET search_path = public AS $$
DECLARE left_over float8;
BEGIN
  INSERT INTO quota_bucket AS b (tenant, scope, subject, tokens, filled_at)
  VALUES (of_tenant, of_scope, of_subject, burst - 1, clock_timestamp())
  ON CONFLICT (tenant, scope, subject) DO UPDATE
  SET tokens = least(burst, b.tokens + greatest(0, extract(epoch FROM clock_timestamp() - b.filled_at)) * per_minute / 60) - 1,
      filled_at = clock_timestamp()
  RETURNING tokens INTO left_over;
  IF left_over < 0 THEN RAISE EXCEPTION '%', refusal USING ERRCODE = 'CSQ01'; END IF;
END $$;

CREATE FUNCTION take_bundle_quota(of_tenant text, of_publisher text, new_bytes bigint, amounts jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
  today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  now_used integer;
  kept bigint;
BEGIN
  INSERT INTO quota_day AS q VALUES (of_tenant, 'bundle_tenant', '', today, 1)
  ON CONFLICT (tenant, scope, subject, day) DO UPDATE SET used = q.used + 1 RETURNING used INTO now_used;
  IF now_used > (amounts ->> 'bundle_daily_tenant')::integer THEN RAISE EXCEPTION 'bundle_daily_quota' USING ERRCODE = 'CSQ01'; END IF;
  INSERT INTO quota_day AS q VALUES (of_tenant, 'bundle_publisher', of_publisher, today, 1)
  ON CONFLICT (tenant, scope, subject, day) DO UPDATE SET used = q.used + 1 RETURNING used INTO now_used;
  IF now_used > (amounts ->> 'bundle_daily_publisher')::integer THEN RAISE EXCEPTION 'bundle_daily_quota' USING ERRCODE = 'CSQ01'; END IF;
  PERFORM take_token(of_tenant, 'bundle_tenant', '', (amounts ->> 'bundle_tenant_per_minute')::float8, (amounts ->> 'bundle_tenant_burst')::float8, 'bundle_rate');
  PERFORM take_token(of_tenant, 'bundle_publisher', of_publisher, (amounts ->> 'bundle_publisher_per_minute')::float8, (amounts ->> 'bundle_publisher_burst')::float8, 'bundle_rate');
  SELECT coalesce(sum(bytes), 0) INTO kept FROM retained WHERE tenant = of_tenant AND scope = 'publisher';
  IF kept + new_bytes > (amounts ->> 'bundle_retained')::bigint THEN RAISE EXCEPTION 'retained_quota' USING ERRCODE = 'CSQ01'; END IF;
  RETURN true;
END $$;

-- Undoes the whole statement when a step that must have had an effect had none.
CREATE FUNCTION must(held boolean, what text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF held IS NOT TRUE THEN RAISE EXCEPTION '%', what USING ERRCODE = 'CSQ02'; END IF;
  RETURN true;
END $$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;

-- Who may do what (docs/architecture.md, "The services") ------------------------------------------

-- Everybody reads the directory and the request's state, and holds the tenant while a transition commits.
GRANT SELECT ON tenant, principal, credential, route TO countersign_gateway, countersign_request, countersign_review,
  countersign_execution, countersign_ledger, countersign_notifier, countersign_deletion;
GRANT UPDATE (hold) ON tenant TO countersign_request, countersign_review, countersign_execution, countersign_ledger,
  countersign_notifier, countersign_deletion;
GRANT SELECT, INSERT, DELETE ON parcel TO countersign_gateway, countersign_request, countersign_review,
  countersign_execution, countersign_ledger, countersign_notifier;

-- gateway: sessions, logins and its own figures
GRANT SELECT, INSERT, UPDATE, DELETE ON session, login_attempt TO countersign_gateway;
GRANT SELECT, INSERT, UPDATE ON http_count TO countersign_gateway;

-- What every service that moves a request writes
GRANT SELECT, INSERT ON record, idempotency, outbox TO countersign_request, countersign_review, countersign_execution,
  countersign_ledger, countersign_notifier, countersign_deletion;
GRANT SELECT, INSERT ON deadline TO countersign_request, countersign_review, countersign_execution, countersign_ledger,
  countersign_notifier, countersign_deletion;
GRANT UPDATE (due, done_at) ON deadline TO countersign_request, countersign_review, countersign_execution, countersign_ledger,
  countersign_notifier, countersign_deletion;
GRANT SELECT ON request, lifecycle, assignment, route_reviewer TO countersign_request, countersign_review,
  countersign_execution, countersign_ledger, countersign_notifier, countersign_deletion;
GRANT SELECT, INSERT ON incident TO countersign_request, countersign_execution, countersign_ledger, countersign_notifier,
  countersign_deletion;

-- request
GRANT UPDATE (directory_revision) ON tenant TO countersign_request;
GRANT INSERT, UPDATE ON principal, credential, route TO countersign_request;
GRANT DELETE ON credential TO countersign_request;
GRANT INSERT, DELETE ON route_reviewer TO countersign_request;
GRANT SELECT, INSERT ON bundle TO countersign_request;
GRANT INSERT ON request TO countersign_request;
GRANT SELECT, INSERT, DELETE ON material TO countersign_request;
GRANT INSERT ON lifecycle TO countersign_request;
GRANT UPDATE (decision, grant_state, revision, version, invalidated, private_delete_at, material_deleted) ON lifecycle
  TO countersign_request;
GRANT SELECT, INSERT ON occurrence TO countersign_request;
GRANT UPDATE (request_id) ON occurrence TO countersign_request;
GRANT SELECT, DELETE ON assignment TO countersign_request;
GRANT SELECT, DELETE ON candidate TO countersign_request;
GRANT UPDATE (live) ON candidate TO countersign_request;
GRANT SELECT, INSERT, UPDATE ON quota_day, quota_bucket, retained TO countersign_request;
GRANT SELECT ON delivery, checkpoint, ledger_entry, ledger_head TO countersign_request;
GRANT UPDATE (result) ON idempotency TO countersign_request;

GRANT EXECUTE ON FUNCTION take_creation_quota, refuse_outstanding, take_token, take_bundle_quota, creation_refusal, bundle_refusal,
  token_left TO countersign_request;

-- review
GRANT INSERT, UPDATE, DELETE ON assignment TO countersign_review;
GRANT SELECT, INSERT ON candidate TO countersign_review;
GRANT UPDATE (live) ON candidate TO countersign_review;
GRANT SELECT ON material TO countersign_review;
GRANT UPDATE (decision, audit, grant_state, grant_deadline, receipt_id, revision, version) ON lifecycle TO countersign_review;

-- execution-authority
GRANT SELECT ON material, candidate, checkpoint, ledger_entry TO countersign_execution;
GRANT UPDATE (grant_state, execution, claim_id, outcome_id, admissions, private_delete_at, revision, version)
  ON lifecycle TO countersign_execution;
GRANT SELECT ON occurrence TO countersign_execution;
GRANT UPDATE (consumed_by) ON occurrence TO countersign_execution;
GRANT SELECT, INSERT ON execution_identity, nonce TO countersign_execution;
GRANT DELETE ON deadline TO countersign_execution;

-- ledger
GRANT SELECT ON material, candidate, bundle, delivery, retained, http_count TO countersign_ledger;
GRANT SELECT, INSERT, UPDATE ON operation_run TO countersign_ledger;
GRANT SELECT, INSERT ON ledger_entry, checkpoint, event TO countersign_ledger;
GRANT SELECT, INSERT, UPDATE ON ledger_head, event_head TO countersign_ledger;
GRANT UPDATE (acceptance, accepted_at, applied, attempts, error) ON checkpoint TO countersign_ledger;
GRANT DELETE ON outbox TO countersign_ledger;
GRANT UPDATE (audit, grant_state, receipt_sequence, anchor_sequence, anchor_generation, revision, version) ON lifecycle
  TO countersign_ledger;
GRANT UPDATE (fenced, fence_reason, directory_revision) ON tenant TO countersign_ledger;
GRANT EXECUTE ON FUNCTION ledger_drain TO countersign_ledger;
GRANT EXECUTE ON FUNCTION must TO countersign_request, countersign_review, countersign_execution, countersign_ledger,
  countersign_notifier, countersign_deletion;

-- notifier
GRANT SELECT, INSERT, UPDATE ON delivery TO countersign_notifier;
GRANT UPDATE (reminded_at, revision, version) ON lifecycle TO countersign_notifier;

-- deletion worker: the only one that may null a text
GRANT SELECT ON ledger_entry, event, event_head, candidate, material, bundle, delivery, retained, nonce, quota_day
  TO countersign_deletion;
GRANT SELECT (digest, expires_at) ON session, login_attempt TO countersign_deletion;
GRANT SELECT (id, created_at), DELETE ON parcel TO countersign_deletion;
GRANT UPDATE (record) ON record TO countersign_deletion;
GRANT UPDATE (result) ON idempotency TO countersign_deletion;
GRANT UPDATE (decision, grant_state, revision, version, invalidated, material_deleted) ON lifecycle TO countersign_deletion;
GRANT UPDATE (bytes) ON retained TO countersign_deletion;
GRANT SELECT, INSERT, UPDATE ON operation_run TO countersign_deletion;
GRANT UPDATE (html) ON bundle TO countersign_deletion;
GRANT DELETE ON request, material, lifecycle, candidate, assignment, event, idempotency, deadline, delivery, nonce,
  quota_day, session, login_attempt TO countersign_deletion;

-- A stolen service role cannot even store, or have chained, a record of another service's kind.
ALTER TABLE record ENABLE ROW LEVEL SECURITY;
ALTER TABLE outbox ENABLE ROW LEVEL SECURITY;
CREATE POLICY record_read ON record FOR SELECT USING (true);
CREATE POLICY record_clear ON record FOR UPDATE TO countersign_deletion USING (true) WITH CHECK (record IS NULL);
CREATE POLICY outbox_read ON outbox FOR SELECT USING (true);
CREATE POLICY outbox_drain ON outbox FOR DELETE TO countersign_ledger USING (true);
DO $$
DECLARE
  kinds jsonb := '{
    "request": ["RequestChangedEvent", "MaterialDiscarded", "BundleRegistered", "PrincipalConfigured", "RouteConfigured"],
    "review": ["RequestChangedEvent", "DecisionReceipt"],
    "execution": ["RequestChangedEvent", "ExecutionClaim", "AdmissionStatus", "ExecutionOutcome", "ExecutionReconciliation"],
    "ledger": ["RequestChangedEvent"],
    "notifier": ["RequestChangedEvent"],
    "deletion": ["RequestChangedEvent", "MaterialDiscarded"]
  }';
  service text;
  kept text;
BEGIN
  FOR service IN SELECT jsonb_object_keys(kinds) LOOP
    FOREACH kept IN ARRAY ARRAY['record', 'outbox'] LOOP
      EXECUTE format('CREATE POLICY %I ON %I FOR INSERT TO %I WITH CHECK (type = ANY (%L::text[]))',
        kept || '_of_' || service, kept, 'countersign_' || service,
        ARRAY(SELECT jsonb_array_elements_text(kinds -> service)));
    END LOOP;
  END LOOP;
END $$;

-- A request starts at the beginning, whoever stores it.
ALTER TABLE lifecycle ENABLE ROW LEVEL SECURITY;
CREATE POLICY lifecycle_read ON lifecycle FOR SELECT USING (true);
CREATE POLICY lifecycle_move ON lifecycle FOR UPDATE USING (true);
CREATE POLICY lifecycle_delete ON lifecycle FOR DELETE TO countersign_deletion USING (true);
CREATE POLICY lifecycle_start ON lifecycle FOR INSERT TO countersign_request WITH CHECK
  (decision = 'pending' AND audit = 'unanchored' AND grant_state IN ('not_applicable', 'none')
    AND execution IN ('not_applicable', 'unclaimed') AND invalidated IS NULL);
