-- Approvals of several people (protocol §18). Only new tables, a new nullable column, and a trigger that no earlier row fires.

CREATE TABLE route_policy (
  tenant text NOT NULL,
  route text NOT NULL,
  revision integer NOT NULL,
  -- Null once the policy was removed.
  policy jsonb,
  digest text,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, route),
  FOREIGN KEY (tenant, route) REFERENCES route (tenant, id)
);

-- The first half of a change that needs two operators.
CREATE TABLE proposed_change (
  tenant text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('policy', 'membership', 'delegation')),
  id text NOT NULL,
  digest text NOT NULL,
  body jsonb NOT NULL,
  by_principal text NOT NULL,
  by_person text,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, kind, id)
);

CREATE TABLE membership (
  tenant text NOT NULL,
  principal text NOT NULL,
  person text NOT NULL,
  groups text[] NOT NULL,
  team text,
  same_person_as text,
  revision integer NOT NULL,
  record_id uuid NOT NULL,
  -- The signed text in force, which decides; the columns are for searching. Texts of records without a request go after 90 days.
  record text NOT NULL,
  PRIMARY KEY (tenant, principal),
  FOREIGN KEY (tenant, principal) REFERENCES principal (tenant, id)
);

-- One vote. `number` is its place among the votes and endings of the request, `ended_number` that of its ending.
CREATE TABLE approval (
  tenant text NOT NULL,
  id uuid NOT NULL,
  request_id uuid NOT NULL,
  number integer NOT NULL,
  candidate_id uuid NOT NULL,
  candidate_digest text NOT NULL,
  decision text NOT NULL CHECK (decision IN ('answer', 'approve', 'reject', 'authorise', 'refuse', 'ratify', 'object')),
  reviewer text NOT NULL,
  person text NOT NULL,
  for_person text,
  stage smallint NOT NULL,
  groups text[] NOT NULL,
  team text,
  mode text NOT NULL CHECK (mode IN ('normal', 'break_glass', 'debt')),
  state text NOT NULL CHECK (state IN ('live', 'counted', 'ended')),
  seat_group text,
  record_id uuid NOT NULL,
  record_digest text NOT NULL,
  statement_digest text,
  credential text,
  approved_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  ended_number integer,
  ended_reason text,
  PRIMARY KEY (tenant, id)
);
CREATE UNIQUE INDEX approval_request ON approval (tenant, request_id, number);
CREATE INDEX approval_reviewer ON approval (tenant, reviewer, approved_at);
CREATE UNIQUE INDEX approval_statement ON approval (tenant, statement_digest);

-- The people that the live and counted votes of a request use up: a person has one place. Rows go when the vote ends.
CREATE TABLE approval_person (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  phase text NOT NULL CHECK (phase IN ('decision', 'debt')),
  person text NOT NULL,
  approval_id uuid NOT NULL,
  PRIMARY KEY (tenant, request_id, phase, person)
);

CREATE TABLE quorum_state (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  needed smallint NOT NULL CHECK (needed BETWEEN 1 AND 20),
  -- The last number of its votes and endings.
  number integer NOT NULL DEFAULT 0,
  unreachable_at timestamptz(3),
  receipt_id uuid,
  PRIMARY KEY (tenant, request_id)
);

-- The records without a request that its votes cite, for as long as the request is kept.
CREATE TABLE request_evidence (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  digest text NOT NULL,
  type text NOT NULL,
  record text NOT NULL,
  PRIMARY KEY (tenant, request_id, digest)
);

-- Null: one reviewer confirms. Set with the request, and in no service's grant afterwards.
ALTER TABLE lifecycle ADD COLUMN approvals_needed smallint;

-- Refuses a decision without its quorum, whatever process asks for it. Not deferred, so that the failure is that of its own
-- statement when statements travel together.
CREATE FUNCTION require_quorum() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  yes integer;
  noes integer;
BEGIN
  SELECT count(DISTINCT person) FILTER (WHERE decision IN ('answer', 'approve', 'authorise')),
    count(DISTINCT person) FILTER (WHERE decision IN ('reject', 'refuse'))
    INTO yes, noes FROM approval
    WHERE tenant = NEW.tenant AND request_id = NEW.request_id AND state = 'counted' AND mode = 'normal';
  IF NOT (yes = NEW.approvals_needed AND noes = 0 OR yes = 0 AND noes > 0) OR NOT EXISTS (SELECT FROM quorum_state q
    WHERE q.tenant = NEW.tenant AND q.request_id = NEW.request_id AND q.receipt_id = NEW.receipt_id
      AND q.needed = NEW.approvals_needed)
  THEN
    RAISE EXCEPTION 'a decision without its quorum' USING ERRCODE = 'CSQ03';
  END IF;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION require_quorum FROM PUBLIC;
CREATE TRIGGER lifecycle_quorum AFTER UPDATE OF decision ON lifecycle FOR EACH ROW
  WHEN (NEW.approvals_needed IS NOT NULL AND NEW.decision = 'confirmed' AND OLD.decision = 'pending')
  EXECUTE FUNCTION require_quorum();

DO $$
DECLARE
  of_tenants regclass;
BEGIN
  FOREACH of_tenants IN ARRAY ARRAY['route_policy', 'proposed_change', 'membership', 'approval', 'approval_person',
    'quorum_state', 'request_evidence']::regclass[] LOOP
    EXECUTE format('CREATE POLICY as_granted ON %s USING (true)', of_tenants);
    EXECUTE format('CREATE POLICY tenant_scope ON %s AS RESTRICTIVE USING (in_scope(tenant))', of_tenants);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of_tenants);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE ON route_policy, membership TO countersign_request;
GRANT SELECT, INSERT, UPDATE, DELETE ON proposed_change TO countersign_request;
GRANT SELECT, UPDATE (state, seat_group, ended_at, ended_number, ended_reason) ON approval TO countersign_request;
GRANT SELECT, DELETE ON approval_person TO countersign_request;
GRANT SELECT, INSERT, UPDATE (number, unreachable_at) ON quorum_state TO countersign_request;
GRANT SELECT ON request_evidence TO countersign_request;

GRANT SELECT ON route_policy, membership TO countersign_review;
GRANT SELECT, INSERT, UPDATE (state, seat_group, ended_at, ended_number, ended_reason) ON approval TO countersign_review;
GRANT SELECT, INSERT, DELETE ON approval_person TO countersign_review;
GRANT SELECT, UPDATE (number, receipt_id) ON quorum_state TO countersign_review;
GRANT SELECT, INSERT ON request_evidence TO countersign_review;

GRANT SELECT ON approval, membership, quorum_state, request_evidence TO countersign_execution, countersign_ledger;
GRANT SELECT, DELETE ON approval, approval_person, quorum_state, request_evidence TO countersign_deletion;

-- A vote starts as one: only the tally counts it, and only before it has ended.
DROP POLICY as_granted ON approval;
CREATE POLICY approval_read ON approval FOR SELECT USING (true);
CREATE POLICY approval_cast ON approval FOR INSERT TO countersign_review WITH CHECK (state IN ('live', 'counted') AND ended_at IS NULL);
CREATE POLICY approval_move ON approval FOR UPDATE USING (state <> 'ended') WITH CHECK (true);
CREATE POLICY approval_delete ON approval FOR DELETE TO countersign_deletion USING (true);

DO $$
DECLARE
  kept text;
BEGIN
  FOREACH kept IN ARRAY ARRAY['record', 'outbox'] LOOP
    EXECUTE format($policy$ALTER POLICY %I ON %I WITH CHECK (type = ANY ('{RequestChangedEvent,MaterialDiscarded,
      BundleRegistered,PrincipalConfigured,RouteConfigured,RoutePolicyConfigured,MembershipConfigured,
      ApprovalEnded}'::text[]))$policy$, kept || '_of_request', kept);
    EXECUTE format($policy$ALTER POLICY %I ON %I WITH CHECK (type = ANY ('{RequestChangedEvent,DecisionReceipt,
      ApprovalRecord,ApprovalEnded}'::text[]))$policy$, kept || '_of_review', kept);
  END LOOP;
END $$;
