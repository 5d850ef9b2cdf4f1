-- Sessions that run out unused and that others can end; people who are in several tenants and choose one after a login.

-- No session that began before it counts. It moves whenever a principal is disabled or enabled, whatever does that: what a
-- person had open stays closed when the person comes back.
ALTER TABLE principal ADD COLUMN sessions_valid_from timestamptz(3);

CREATE FUNCTION end_sessions() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.sessions_valid_from = clock_timestamp();
  RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION end_sessions FROM PUBLIC;

CREATE TRIGGER principal_ends_sessions BEFORE UPDATE OF enabled ON principal FOR EACH ROW
  WHEN (OLD.enabled IS DISTINCT FROM NEW.enabled) EXECUTE FUNCTION end_sessions();

ALTER TABLE session
  -- The name of a session for the person whose it is: the digest of its cookie is not given out.
  ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
  -- Moved by use, at most once a minute.
  ADD COLUMN last_seen_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- Digest of the identity provider's name for its own session (`sid`), which a back-channel logout may name.
  ADD COLUMN provider_session text;
CREATE INDEX session_person ON session (tenant, principal);

-- Who an attempt has turned out to be, while the person chooses a tenant. `choice` is what the form is sent back with.
ALTER TABLE login_attempt
  -- Where a fresh login for a confirmation comes back to: the tenant and principal of the session that asked for it.
  ADD COLUMN stays jsonb,
  ADD COLUMN identity jsonb,
  ADD COLUMN choice text;

-- When a person last logged in as this principal. Without a row, its tenant is new to the person.
CREATE TABLE last_login (
  tenant text NOT NULL,
  principal text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (tenant, principal),
  FOREIGN KEY (tenant, principal) REFERENCES principal (tenant, id)
);
INSERT INTO last_login (tenant, principal, at)
  SELECT s.tenant, s.principal, max(s.authenticated_at) FROM session s
  JOIN principal p ON p.tenant = s.tenant AND p.id = s.principal GROUP BY s.tenant, s.principal;

-- Logout tokens that were honoured, by the digest of their `jti`: each counts once. The gateway clears them.
CREATE TABLE logout_token (
  digest text PRIMARY KEY,
  expires_at timestamptz(3) NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON last_login TO countersign_gateway;
GRANT SELECT, INSERT, DELETE ON logout_token TO countersign_gateway;
