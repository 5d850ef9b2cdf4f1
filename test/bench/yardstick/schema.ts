/** The signed record of a step, and the event that reports it; both are to be passed on, so both are in the outbox. */
function keep(type: string): string {
  return `INSERT INTO record VALUES
      (of_tenant, new_id, of_request, '${type}', new_digest, clock_timestamp(), new_record),
      (of_tenant, event_id, of_request, 'RequestChangedEvent', event_digest, clock_timestamp(), event_record);
    INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience) VALUES
      (of_tenant, new_id, of_request, '${type}', new_digest, of_owner),
      (of_tenant, event_id, of_request, 'RequestChangedEvent', event_digest, of_owner);`;
}

/** A step on the request's row: from the state that `held` describes, or not at all. */
function step(name: string, parameters: string, body: string): string {
  return `CREATE FUNCTION ${name}(of_tenant text, of_request uuid, of_owner text, ${parameters}, new_id uuid,
    new_digest text, new_record text, event_id uuid, event_digest text, event_record text)
    RETURNS void LANGUAGE plpgsql AS $$ ${body} END $$;`;
}

/**
 * The yardstick's database: the rows that a lifecycle has to leave behind in any implementation. Tables have the columns of
 * the product's tables of the same names, with primary keys only. It has no tenant directory, no answers by key, no
 * deadlines, no quotas and no ledger, and nothing reads its outbox: those are the product's, and the bench measures their
 * cost.
 *
 * One function is one step and one transaction. A step that comes in the wrong state raises, and undoes itself.
 */
export const YARDSTICK_SCHEMA = `
CREATE TABLE request (
  tenant text, id uuid, owner text NOT NULL, route text NOT NULL, purpose text NOT NULL, summary text NOT NULL,
  digest text NOT NULL, canonical text NOT NULL, PRIMARY KEY (tenant, id)
);
CREATE TABLE material (
  tenant text, request_id uuid, payload text NOT NULL, response_schema text NOT NULL, review_document text NOT NULL,
  bytes bigint NOT NULL, PRIMARY KEY (tenant, request_id)
);
CREATE TABLE lifecycle (
  tenant text, request_id uuid, owner text NOT NULL, route text NOT NULL, decision text NOT NULL,
  grant_state text NOT NULL, execution text NOT NULL, revision integer NOT NULL, accepted_at timestamptz(3) NOT NULL,
  review_deadline timestamptz(3) NOT NULL, grant_deadline timestamptz(3), private_delete_at timestamptz(3) NOT NULL,
  audit_delete_at timestamptz(3) NOT NULL, occurrence text NOT NULL,
  receipt_id uuid, claim_id uuid, outcome_id uuid, admissions integer NOT NULL DEFAULT 0, PRIMARY KEY (tenant, request_id)
) WITH (fillfactor = 70);
CREATE TABLE occurrence (
  tenant text, owner text, occurrence text, request_id uuid NOT NULL, consumed_by uuid,
  PRIMARY KEY (tenant, owner, occurrence)
);
CREATE TABLE execution_identity (
  tenant text, owner text, identity text, request_id uuid NOT NULL, PRIMARY KEY (tenant, owner, identity)
);
CREATE TABLE nonce (tenant text, request_id uuid, nonce text, PRIMARY KEY (tenant, request_id, nonce));
CREATE TABLE candidate (
  tenant text, request_id uuid, reviewer text, revision integer, id uuid NOT NULL, digest text NOT NULL,
  candidate text NOT NULL, created_at timestamptz(3) NOT NULL, PRIMARY KEY (tenant, request_id, reviewer, revision)
);
CREATE TABLE record (
  tenant text, id uuid, request_id uuid NOT NULL, type text NOT NULL, digest text NOT NULL,
  issued_at timestamptz(3) NOT NULL, record text NOT NULL, PRIMARY KEY (tenant, id)
);
CREATE TABLE outbox (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, tenant text NOT NULL, record_id uuid NOT NULL,
  request_id uuid NOT NULL, type text NOT NULL, digest text NOT NULL, audience text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

CREATE FUNCTION create_request(of_tenant text, of_request uuid, of_owner text, of_route text, of_summary text,
  of_digest text, of_canonical text, of_payload text, of_schema text, of_document text, of_occurrence text,
  deadline timestamptz, event_id uuid, event_digest text, event_record text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO occurrence VALUES (of_tenant, of_owner, of_occurrence, of_request, NULL);
  INSERT INTO request VALUES (of_tenant, of_request, of_owner, of_route, 'authorise_execution', of_summary, of_digest,
    of_canonical);
  INSERT INTO material VALUES (of_tenant, of_request, of_payload, of_schema, of_document,
    octet_length(of_payload) + octet_length(of_schema) + octet_length(of_document));
  INSERT INTO lifecycle (tenant, request_id, owner, route, decision, grant_state, execution, revision, accepted_at,
    review_deadline, private_delete_at, audit_delete_at, occurrence)
  VALUES (of_tenant, of_request, of_owner, of_route, 'pending', 'none', 'unclaimed', 1, clock_timestamp(), deadline,
    deadline, deadline, of_occurrence);
  INSERT INTO record VALUES (of_tenant, event_id, of_request, 'RequestChangedEvent', event_digest, clock_timestamp(),
    event_record);
  INSERT INTO outbox (tenant, record_id, request_id, type, digest, audience)
  VALUES (of_tenant, event_id, of_request, 'RequestChangedEvent', event_digest, of_owner);
END $$;

CREATE FUNCTION propose(of_tenant text, of_request uuid, of_reviewer text, new_id uuid, new_digest text,
  new_candidate text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM lifecycle l WHERE l.tenant = of_tenant AND l.request_id = of_request AND l.decision = 'pending'
    AND l.review_deadline > clock_timestamp() FOR SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'not pending'; END IF;
  INSERT INTO candidate
  SELECT of_tenant, of_request, of_reviewer, coalesce(max(c.revision), 0) + 1, new_id, new_digest, new_candidate,
    clock_timestamp()
  FROM candidate c WHERE c.tenant = of_tenant AND c.request_id = of_request AND c.reviewer = of_reviewer;
END $$;

${step(
  'confirm',
  'of_candidate uuid, of_digest text, deadline timestamptz',
  `BEGIN
    UPDATE lifecycle l SET decision = 'confirmed', grant_state = 'available', grant_deadline = deadline,
      receipt_id = new_id, revision = l.revision + 1
    WHERE l.tenant = of_tenant AND l.request_id = of_request AND l.decision = 'pending'
      AND l.review_deadline > clock_timestamp() AND EXISTS (SELECT 1 FROM candidate c
        WHERE c.tenant = of_tenant AND c.request_id = of_request AND c.id = of_candidate AND c.digest = of_digest);
    IF NOT FOUND THEN RAISE EXCEPTION 'not pending, or another candidate'; END IF;
    ${keep('DecisionReceipt')}`,
)}

${step(
  'claim',
  'of_identity text',
  `DECLARE held text;
  BEGIN
    UPDATE lifecycle l SET grant_state = 'consumed', execution = 'claimed', claim_id = new_id,
      revision = l.revision + 1
    WHERE l.tenant = of_tenant AND l.request_id = of_request AND l.grant_state = 'available'
      AND l.grant_deadline > clock_timestamp()
    RETURNING l.occurrence INTO held;
    IF NOT FOUND THEN RAISE EXCEPTION 'not available'; END IF;
    UPDATE occurrence o SET consumed_by = new_id
    WHERE o.tenant = of_tenant AND o.owner = of_owner AND o.occurrence = held AND o.request_id = of_request
      AND o.consumed_by IS NULL;
    IF NOT FOUND THEN RAISE EXCEPTION 'occurrence consumed'; END IF;
    INSERT INTO execution_identity VALUES (of_tenant, of_owner, of_identity, of_request);
    ${keep('ExecutionClaim')}`,
)}

${step(
  'admit',
  'of_nonce text',
  `BEGIN
    UPDATE lifecycle l SET execution = 'admitted', admissions = l.admissions + 1, revision = l.revision + 1
    WHERE l.tenant = of_tenant AND l.request_id = of_request AND l.grant_state = 'consumed'
      AND l.execution IN ('claimed', 'admitted') AND l.grant_deadline > clock_timestamp();
    IF NOT FOUND THEN RAISE EXCEPTION 'not claimed'; END IF;
    INSERT INTO nonce VALUES (of_tenant, of_request, of_nonce);
    ${keep('AdmissionStatus')}`,
)}

${step(
  'report_outcome',
  'of_state text',
  `BEGIN
    UPDATE lifecycle l SET execution = of_state, outcome_id = new_id, revision = l.revision + 1
    WHERE l.tenant = of_tenant AND l.request_id = of_request AND l.execution IN ('claimed', 'admitted');
    IF NOT FOUND THEN RAISE EXCEPTION 'not claimed'; END IF;
    ${keep('ExecutionOutcome')}`,
)}
`;
