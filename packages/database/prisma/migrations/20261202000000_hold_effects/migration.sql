-- The effects of a legal hold on deletions (protocol §20.7): one new index, of rows that no release before has, a trigger of rows
-- that no release before writes, and the rights of the deletion.

-- Empty where nothing is hidden, so a look for a hidden request costs next to nothing.
CREATE INDEX lifecycle_hidden ON lifecycle (tenant, request_id) WHERE hidden;

-- The deletion asks for how long a request is held, lets its deadline rest until then, and counts holds for metrics.
GRANT SELECT ON hold_item TO countersign_deletion;
GRANT UPDATE (hidden) ON lifecycle TO countersign_deletion;

-- A lift ends the rest of deletions, whoever lifts. The deletion locks the deadline before it reads the holds: it sees the lift, or
-- this sees the rest. Another hold that is in force lets it rest anew.
CREATE FUNCTION end_rest() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  UPDATE deadline d SET rests_until = NEW.lifted_at WHERE d.tenant = NEW.tenant AND d.request_id = NEW.request_id
    AND d.kind IN ('private_deletion', 'audit_deletion') AND d.done_at IS NULL;
  RETURN NULL;
END $$;
REVOKE EXECUTE ON FUNCTION end_rest FROM PUBLIC;
CREATE TRIGGER hold_item_lifted AFTER UPDATE OF lifted_at ON hold_item FOR EACH ROW
  WHEN (NEW.lifted_at IS NOT NULL) EXECUTE FUNCTION end_rest();
