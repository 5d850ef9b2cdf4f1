-- The mails that a person chose: at once, as a digest, or none. Without a row each mail is sent at once.
CREATE TABLE mail_preference (
  tenant text NOT NULL,
  principal text NOT NULL,
  preferences jsonb NOT NULL CHECK (jsonb_typeof(preferences) = 'object'),
  -- When a digest is looked at next; null without digests.
  next_at timestamptz(3),
  -- Whether that is a time of a digest, and not only the time of the choice.
  planned boolean NOT NULL DEFAULT false,
  -- The attempt that sends the digest before next_at.
  claim_id uuid,
  -- Attempts in a row that failed.
  attempts integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, principal),
  FOREIGN KEY (tenant, principal) REFERENCES principal (tenant, id)
) WITH (fillfactor = 50);
CREATE INDEX mail_preference_due ON mail_preference (next_at) WHERE next_at IS NOT NULL;

-- What a channel of Slack or Teams has not been told yet. The address of a channel is a secret of the settings.
CREATE TABLE chat_notice (
  tenant text NOT NULL,
  channel text NOT NULL,
  -- New reviews and reminders since the last notice, and the first of them.
  news integer NOT NULL,
  since timestamptz(3) NOT NULL,
  sent_at timestamptz(3),
  -- When it is told next; while that is under way, when the claim ends. Null when there is nothing to tell.
  next_at timestamptz(3),
  claim_id uuid,
  attempts integer NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, channel)
) WITH (fillfactor = 50);
CREATE INDEX chat_notice_due ON chat_notice (next_at) WHERE next_at IS NOT NULL;

DO $$
DECLARE
  of_tenants regclass;
BEGIN
  FOREACH of_tenants IN ARRAY ARRAY['mail_preference', 'chat_notice']::regclass[] LOOP
    EXECUTE format('CREATE POLICY as_granted ON %s USING (true)', of_tenants);
    EXECUTE format('CREATE POLICY tenant_scope ON %s AS RESTRICTIVE USING (in_scope(tenant))', of_tenants);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of_tenants);
  END LOOP;
END $$;

GRANT SELECT, INSERT (tenant, principal, preferences, next_at), UPDATE (preferences, next_at, planned, claim_id)
  ON mail_preference TO countersign_gateway;
GRANT SELECT, UPDATE (next_at, planned, claim_id, attempts) ON mail_preference TO countersign_notifier;
GRANT SELECT, INSERT, UPDATE ON chat_notice TO countersign_notifier;

DROP POLICY security_event_of_gateway ON security_event;
CREATE POLICY security_event_of_gateway ON security_event FOR INSERT TO countersign_gateway WITH CHECK (kind IN
  ('login.succeeded', 'login.refused', 'credential.refused', 'session.ended', 'step_up.required', 'notifications.changed'));
