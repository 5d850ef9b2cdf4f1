-- Votes that people sign with keys of their own (protocol §19.7). A new table, a new column, and grants.

-- The signed texts of the CredentialBound of the key that vouched for this one, as it was then, of the key that vouched for that
-- one, and so on: evidence of a vote by this key. The texts in force of those keys may have changed since.
ALTER TABLE credential_bound ADD COLUMN vouched_by text[] NOT NULL DEFAULT '{}';

-- What a person was asked to sign with a vote, by the digest of its statement. Lost with a crash: it is asked for again.
CREATE UNLOGGED TABLE approval_offer (
  tenant text NOT NULL,
  digest text NOT NULL,
  person text NOT NULL,
  credential uuid NOT NULL,
  nonce text NOT NULL,
  issued_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, digest)
);
CREATE INDEX approval_offer_person ON approval_offer (tenant, person) WHERE person <> '';
CREATE POLICY as_granted ON approval_offer USING (true);
CREATE POLICY tenant_scope ON approval_offer AS RESTRICTIVE USING (in_scope(tenant));
ALTER TABLE approval_offer ENABLE ROW LEVEL SECURITY;
GRANT SELECT, INSERT, DELETE ON approval_offer TO countersign_review;

-- A vote moves the counter of the key that signed it, and one whose counter steps back suspends it: never the reverse.
GRANT SELECT, UPDATE (state, counter) ON credential_bound TO countersign_review;
CREATE POLICY credential_bound_sign ON credential_bound FOR UPDATE TO countersign_review
  USING (state = 'active') WITH CHECK (state IN ('active', 'suspended'));
GRANT INSERT ON incident TO countersign_review;
CREATE POLICY incident_of_review ON incident AS RESTRICTIVE FOR INSERT TO countersign_review
  WITH CHECK (code = 'credential_cloned');

GRANT SELECT, INSERT, UPDATE ON quota_bucket TO countersign_review;
CREATE POLICY quota_bucket_of_review ON quota_bucket AS RESTRICTIVE TO countersign_review
  USING (scope = 'approval_offer') WITH CHECK (scope = 'approval_offer');
GRANT EXECUTE ON FUNCTION take_token TO countersign_review;

-- The end of a key becomes evidence of the requests that it signed votes of.
GRANT UPDATE (vouched_by) ON credential_bound TO countersign_request;
GRANT INSERT ON request_evidence TO countersign_request;
CREATE POLICY request_evidence_of_request ON request_evidence AS RESTRICTIVE FOR INSERT TO countersign_request
  WITH CHECK (type = 'CredentialEnded');
