-- Operations of legal holds (protocol §20.8). New nullable columns, grants, and wider policies.

-- The signed texts of the LegalHoldSet in force and of the LegalHoldLifted: they decide, and the columns beside them are for the
-- guard and for lists.
ALTER TABLE hold ADD COLUMN record text, ADD COLUMN lifted text;

GRANT SELECT, INSERT, UPDATE (revision, reference, until, set_by, set_by_person, set_at, record, lifted_by, lifted_at, lifted)
  ON hold TO countersign_request;
GRANT SELECT, INSERT, UPDATE (until, lifted_at) ON hold_item TO countersign_request;
-- Custodians read holds, and export requests under them.
GRANT SELECT ON hold, hold_item TO countersign_ledger;

DO $$
DECLARE
  kept text;
BEGIN
  FOREACH kept IN ARRAY ARRAY['record', 'outbox'] LOOP
    EXECUTE format($policy$ALTER POLICY %I ON %I WITH CHECK (type = ANY ('{RequestChangedEvent,MaterialDiscarded,
      BundleRegistered,PrincipalConfigured,RouteConfigured,RoutePolicyConfigured,MembershipConfigured,
      ApprovalEnded,CredentialBound,CredentialEnded,LegalHoldSet,LegalHoldLifted}'::text[]))$policy$, kept || '_of_request', kept);
  END LOOP;
END $$;

ALTER POLICY security_event_of_request ON security_event WITH CHECK (kind IN
  ('principal.changed', 'route.changed', 'policy.changed', 'membership.changed', 'change.proposed', 'key.changed', 'hold.changed',
   'material.read', 'app.read', 'material.discarded'));
ALTER POLICY security_event_of_ledger ON security_event WITH CHECK (kind IN
  ('export.read', 'held_export.read', 'security_log.exported'));
