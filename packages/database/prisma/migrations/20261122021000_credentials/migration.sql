-- A token's digest is for the gateway, which looks tokens up, and for the request service, which stores them. The other
-- services compare this id, which says nothing about the token and changes with it.
ALTER TABLE credential ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();

-- Processes of the release before read the digest in every service. A database without tenants has none of them; elsewhere
-- `countersign migrate --finish` does the same when the rollout is over.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM tenant) THEN
    REVOKE SELECT ON credential FROM countersign_review, countersign_execution, countersign_ledger, countersign_notifier,
      countersign_deletion;
    GRANT SELECT (id, tenant, principal) ON credential TO countersign_review, countersign_execution, countersign_ledger,
      countersign_notifier, countersign_deletion;
  END IF;
END $$;
