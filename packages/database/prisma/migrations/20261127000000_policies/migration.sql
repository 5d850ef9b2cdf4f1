-- The operators of the policy in force: one, or two where the change weakened a guarded policy. No release has made a row yet.
ALTER TABLE route_policy ADD COLUMN configured_by text[] NOT NULL;

ALTER POLICY security_event_of_request ON security_event WITH CHECK (kind IN
  ('principal.changed', 'route.changed', 'policy.changed', 'membership.changed', 'change.proposed', 'material.read', 'app.read',
   'material.discarded'));
