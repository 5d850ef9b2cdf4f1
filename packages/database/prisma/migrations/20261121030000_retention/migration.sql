-- What ends with a request is found by the request.
CREATE INDEX idempotency_request ON idempotency (tenant, request_id) WHERE request_id IS NOT NULL;
CREATE INDEX event_request ON event (tenant, request_id);

-- What belongs to no request ends by its age; the rest ends with its request, which is never older. So these hold few rows
-- and cost the operations on requests nothing.
CREATE INDEX idempotency_kept ON idempotency (tenant, created_at) WHERE result IS NOT NULL AND request_id IS NULL;
CREATE INDEX record_kept ON record (tenant, issued_at) WHERE record IS NOT NULL AND request_id IS NULL;

-- HTML that is kept, and the requests that it may be kept for.
CREATE INDEX bundle_kept ON bundle (tenant, id) WHERE html IS NOT NULL;
CREATE INDEX request_bundle ON request (tenant, bundle_id) WHERE bundle_id IS NOT NULL;

-- When each tenant is next seen to, '' for what belongs to none. Whoever moves `due` on has the pass; `stalled` once an
-- incident says that rows are left behind, until a pass goes well.
CREATE TABLE housekeeping (
  tenant text PRIMARY KEY,
  due timestamptz(3) NOT NULL,
  stalled boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
CREATE INDEX housekeeping_due ON housekeeping (due);

GRANT SELECT, INSERT, UPDATE (due, stalled) ON housekeeping TO countersign_deletion;
-- Room is given back to any one of an owner's slots.
GRANT INSERT ON retained TO countersign_deletion;
-- Mail of a request whose material goes is not sent any more.
GRANT UPDATE (state) ON delivery TO countersign_request, countersign_deletion;

-- Postgres keeps samples of what it analyses, longer than the rows: none of what must go.
ALTER TABLE material ALTER COLUMN payload SET STATISTICS 0, ALTER COLUMN response_schema SET STATISTICS 0,
  ALTER COLUMN review_document SET STATISTICS 0;
ALTER TABLE candidate ALTER COLUMN candidate SET STATISTICS 0;
ALTER TABLE idempotency ALTER COLUMN result SET STATISTICS 0;
ALTER TABLE request ALTER COLUMN canonical SET STATISTICS 0, ALTER COLUMN summary SET STATISTICS 0;
ALTER TABLE record ALTER COLUMN record SET STATISTICS 0;
ALTER TABLE bundle ALTER COLUMN html SET STATISTICS 0;
ALTER TABLE parcel ALTER COLUMN body SET STATISTICS 0;
ALTER TABLE webhook_secret ALTER COLUMN secret SET STATISTICS 0;
ALTER TABLE session ALTER COLUMN csrf SET STATISTICS 0;
ALTER TABLE login_attempt ALTER COLUMN code_verifier SET STATISTICS 0;

-- A request holds the HTML of its bundle while it is stored: housekeeping, which drops what no request needs, comes before
-- it or sees it. SQLSTATE 'CSQ02': the creation reads again and finds the bundle gone.
CREATE FUNCTION hold_bundle() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM bundle b WHERE b.tenant = NEW.tenant AND b.id = NEW.bundle_id AND b.html IS NOT NULL FOR SHARE;
  IF NOT FOUND THEN RAISE EXCEPTION 'bundle_deleted' USING ERRCODE = 'CSQ02'; END IF;
  RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION hold_bundle FROM PUBLIC;
CREATE TRIGGER request_holds_bundle BEFORE INSERT ON request FOR EACH ROW WHEN (NEW.bundle_id IS NOT NULL)
  EXECUTE FUNCTION hold_bundle();
