-- Attention of those who vote (protocol §18.12). A new table, a new column, a column that may be null, and grants.

-- What a person was given of a request whose policy asks for attention, and when for the first time: its `material`, or a
-- candidate by its digest. It goes with the material.
CREATE TABLE reading (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  person text NOT NULL,
  what text NOT NULL,
  first_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, request_id, person, what)
);
CREATE POLICY as_granted ON reading USING (true);
CREATE POLICY tenant_scope ON reading AS RESTRICTIVE USING (in_scope(tenant));
ALTER TABLE reading ENABLE ROW LEVEL SECURITY;
-- A first reading never changes. Each service notes what it gives to people.
GRANT SELECT, INSERT, DELETE ON reading TO countersign_request;
GRANT SELECT, INSERT ON reading TO countersign_review;
GRANT SELECT, DELETE ON reading TO countersign_deletion;
CREATE POLICY reading_of_request ON reading AS RESTRICTIVE FOR INSERT TO countersign_request WITH CHECK (what = 'material');
CREATE POLICY reading_of_review ON reading AS RESTRICTIVE FOR INSERT TO countersign_review WITH CHECK (what <> 'material');

-- What the record of the vote will say of attention, and how many characters the document has. Offers without a key are new: a process of the release before does not
-- read them, because it decides no request whose policy asks for attention.
ALTER TABLE approval_offer ADD COLUMN attention text, ADD COLUMN characters integer, ALTER COLUMN credential DROP NOT NULL;

ALTER POLICY quota_bucket_of_review ON quota_bucket
  USING (scope IN ('approval_offer', 'approval_typed', 'approval_hour', 'approval_day'))
  WITH CHECK (scope IN ('approval_offer', 'approval_typed', 'approval_hour', 'approval_day'));
