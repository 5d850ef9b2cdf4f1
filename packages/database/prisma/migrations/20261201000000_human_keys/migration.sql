-- Keys of people (protocol §19). Only new tables.

-- A key from its enrolment on. `id` is the service's name of it, `credential_id` the authenticator's.
CREATE TABLE credential_bound (
  tenant text NOT NULL,
  id uuid NOT NULL,
  credential_id text NOT NULL,
  principal text NOT NULL,
  person text NOT NULL,
  public_key jsonb NOT NULL,
  algorithm text NOT NULL CHECK (algorithm IN ('ES256', 'EdDSA')),
  aaguid text NOT NULL,
  device_bound boolean NOT NULL,
  label text NOT NULL,
  state text NOT NULL CHECK (state IN ('waiting', 'active', 'suspended', 'ended')),
  -- Of its last signature.
  counter bigint NOT NULL,
  -- How often it was countersigned.
  attempts integer NOT NULL DEFAULT 0,
  -- The statement that the new key signed, with the signature.
  enrolment jsonb NOT NULL,
  enrolled_at timestamptz(3) NOT NULL,
  -- The signed text of the CredentialBound in force and of the CredentialEnded, which decide; texts of records without a request
  -- go after 90 days.
  bound text,
  ended text,
  PRIMARY KEY (tenant, id),
  FOREIGN KEY (tenant, principal) REFERENCES principal (tenant, id),
  CHECK ((state = 'waiting') = (bound IS NULL)),
  CHECK ((state = 'ended') = (ended IS NOT NULL))
);
-- Over all tenants: a key is one person's, in one of them.
CREATE UNIQUE INDEX credential_bound_credential ON credential_bound (credential_id);
-- Of part of the rows, so that no other statement takes them where the planner knows no figures yet.
CREATE INDEX credential_bound_person ON credential_bound (tenant, person) WHERE person <> '';
CREATE INDEX credential_bound_principal ON credential_bound (tenant, principal) WHERE principal <> '';

-- The one enrolment that a principal has begun. Lost with a crash: it is begun again.
CREATE UNLOGGED TABLE enrolment_offer (
  tenant text NOT NULL,
  principal text NOT NULL,
  -- Of the key to come.
  credential uuid NOT NULL,
  person text NOT NULL,
  challenge text NOT NULL,
  nonce text NOT NULL,
  issued_at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, principal)
);

-- 32 random bytes that authenticators keep for a person, in place of a name or an address.
CREATE TABLE user_handle (
  tenant text NOT NULL,
  person text NOT NULL,
  handle text NOT NULL,
  PRIMARY KEY (tenant, person)
);

CREATE INDEX approval_credential ON approval (tenant, credential, approved_at) WHERE credential IS NOT NULL;

DO $$
DECLARE
  of_tenants regclass;
  kept text;
BEGIN
  FOREACH of_tenants IN ARRAY ARRAY['credential_bound', 'enrolment_offer', 'user_handle']::regclass[] LOOP
    EXECUTE format('CREATE POLICY as_granted ON %s USING (true)', of_tenants);
    EXECUTE format('CREATE POLICY tenant_scope ON %s AS RESTRICTIVE USING (in_scope(tenant))', of_tenants);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of_tenants);
  END LOOP;
  FOREACH kept IN ARRAY ARRAY['record', 'outbox'] LOOP
    EXECUTE format($policy$ALTER POLICY %I ON %I WITH CHECK (type = ANY ('{RequestChangedEvent,MaterialDiscarded,
      BundleRegistered,PrincipalConfigured,RouteConfigured,RoutePolicyConfigured,MembershipConfigured,
      ApprovalEnded,CredentialBound,CredentialEnded}'::text[]))$policy$, kept || '_of_request', kept);
  END LOOP;
END $$;

GRANT SELECT, INSERT, UPDATE (state, counter, attempts, bound, ended), DELETE ON credential_bound TO countersign_request;
GRANT SELECT, INSERT, UPDATE (credential, person, challenge, nonce, issued_at), DELETE ON enrolment_offer TO countersign_request;
GRANT SELECT, INSERT ON user_handle TO countersign_request;

-- A key that counted is never deleted, one that ended never changes, and none begins as active.
DROP POLICY as_granted ON credential_bound;
CREATE POLICY credential_bound_read ON credential_bound FOR SELECT USING (true);
CREATE POLICY credential_bound_enrol ON credential_bound FOR INSERT TO countersign_request WITH CHECK (state = 'waiting');
CREATE POLICY credential_bound_move ON credential_bound FOR UPDATE TO countersign_request
  USING (state <> 'ended') WITH CHECK (state <> 'waiting');
CREATE POLICY credential_bound_forget ON credential_bound FOR DELETE TO countersign_request USING (state = 'waiting');

ALTER POLICY security_event_of_request ON security_event WITH CHECK (kind IN
  ('principal.changed', 'route.changed', 'policy.changed', 'membership.changed', 'change.proposed', 'key.changed', 'material.read',
   'app.read', 'material.discarded'));
