-- Legal holds (protocol §20). Only new tables, a new nullable column, and triggers that raise for held rows alone. No role has
-- rights on the tables yet: those come with the operations that set and lift a hold.

CREATE TABLE hold (
  tenant text NOT NULL,
  id uuid NOT NULL,
  revision integer NOT NULL,
  reference text NOT NULL,
  until timestamptz(3) NOT NULL,
  set_by text NOT NULL,
  -- Digest of the person: the one who lifts is another.
  set_by_person text NOT NULL,
  set_at timestamptz(3) NOT NULL,
  lifted_by text,
  lifted_at timestamptz(3),
  PRIMARY KEY (tenant, id)
);

-- What the guard reads, by request: `until` and `lifted_at` are those of the hold. The key is the only index: to a planner that knows
-- no figures yet one by the hold looks as good, and each look of the guard would then read all holds of the tenant.
CREATE TABLE hold_item (
  tenant text NOT NULL,
  request_id uuid NOT NULL,
  hold_id uuid NOT NULL,
  until timestamptz(3) NOT NULL,
  lifted_at timestamptz(3),
  PRIMARY KEY (tenant, request_id, hold_id),
  FOREIGN KEY (tenant, hold_id) REFERENCES hold (tenant, id)
);

-- True once `audit_delete_at` has passed while a hold keeps the request.
ALTER TABLE lifecycle ADD COLUMN hidden boolean;

CREATE FUNCTION is_held(of_tenant text, request uuid) RETURNS boolean LANGUAGE sql VOLATILE AS $$
  SELECT EXISTS (SELECT FROM hold_item h WHERE h.tenant = of_tenant AND h.request_id = request
    AND h.lifted_at IS NULL AND h.until > clock_timestamp())
$$;

-- Whatever process deletes, of this release or an earlier one: its whole statement is undone. The functions run with the rights of
-- the owner, so that no role has to read holds.
CREATE FUNCTION keep_held() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF is_held(OLD.tenant, OLD.request_id) THEN RAISE EXCEPTION 'legal_hold' USING ERRCODE = 'CSQ04'; END IF;
  IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
  RETURN NEW;
END $$;

CREATE FUNCTION keep_held_request() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF is_held(OLD.tenant, OLD.id) THEN RAISE EXCEPTION 'legal_hold' USING ERRCODE = 'CSQ04'; END IF;
  RETURN OLD;
END $$;

CREATE FUNCTION keep_held_bundle() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM hold_item h JOIN request r ON r.tenant = h.tenant AND r.id = h.request_id
    WHERE h.tenant = OLD.tenant AND h.lifted_at IS NULL AND h.until > clock_timestamp() AND r.bundle_id = OLD.id) THEN
    RAISE EXCEPTION 'legal_hold' USING ERRCODE = 'CSQ04';
  END IF;
  RETURN NEW;
END $$;

-- A hold comes before a deletion or sees that the request is gone: both lock the same rows. SQLSTATE 'CSQ05': it is gone.
CREATE FUNCTION hold_request() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  PERFORM FROM lifecycle l WHERE l.tenant = NEW.tenant AND l.request_id = NEW.request_id FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'request_deleted' USING ERRCODE = 'CSQ05'; END IF;
  PERFORM FROM material m WHERE m.tenant = NEW.tenant AND m.request_id = NEW.request_id FOR UPDATE;
  PERFORM FROM candidate c WHERE c.tenant = NEW.tenant AND c.request_id = NEW.request_id FOR UPDATE;
  PERFORM FROM bundle b WHERE b.tenant = NEW.tenant
    AND b.id = (SELECT r.bundle_id FROM request r WHERE r.tenant = NEW.tenant AND r.id = NEW.request_id) FOR SHARE;
  RETURN NEW;
END $$;

-- A hold only grows, and a lift is for good: a shorter time would be a lift by one person.
CREATE FUNCTION keep_hold() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF OLD.lifted_at IS NOT NULL OR NEW.until < OLD.until THEN
    RAISE EXCEPTION 'a hold that shrinks' USING ERRCODE = 'CSQ06';
  END IF;
  RETURN NEW;
END $$;
REVOKE EXECUTE ON FUNCTION is_held, keep_held, keep_held_request, keep_held_bundle, hold_request, keep_hold FROM PUBLIC;

CREATE TRIGGER material_held BEFORE DELETE ON material FOR EACH ROW EXECUTE FUNCTION keep_held();
CREATE TRIGGER candidate_held BEFORE DELETE ON candidate FOR EACH ROW EXECUTE FUNCTION keep_held();
CREATE TRIGGER approval_held BEFORE DELETE ON approval FOR EACH ROW EXECUTE FUNCTION keep_held();
CREATE TRIGGER request_evidence_held BEFORE DELETE ON request_evidence FOR EACH ROW EXECUTE FUNCTION keep_held();
CREATE TRIGGER request_held BEFORE DELETE ON request FOR EACH ROW EXECUTE FUNCTION keep_held_request();
CREATE TRIGGER record_held BEFORE UPDATE OF record ON record FOR EACH ROW
  WHEN (OLD.request_id IS NOT NULL AND OLD.record IS NOT NULL AND NEW.record IS NULL) EXECUTE FUNCTION keep_held();
CREATE TRIGGER bundle_held BEFORE UPDATE OF html ON bundle FOR EACH ROW
  WHEN (OLD.html IS NOT NULL AND NEW.html IS NULL) EXECUTE FUNCTION keep_held_bundle();
CREATE TRIGGER hold_item_holds BEFORE INSERT ON hold_item FOR EACH ROW EXECUTE FUNCTION hold_request();
CREATE TRIGGER hold_item_grows BEFORE UPDATE ON hold_item FOR EACH ROW EXECUTE FUNCTION keep_hold();
CREATE TRIGGER hold_grows BEFORE UPDATE ON hold FOR EACH ROW EXECUTE FUNCTION keep_hold();

DO $$
DECLARE
  of_tenants regclass;
BEGIN
  FOREACH of_tenants IN ARRAY ARRAY['hold', 'hold_item']::regclass[] LOOP
    EXECUTE format('CREATE POLICY as_granted ON %s USING (true)', of_tenants);
    EXECUTE format('CREATE POLICY tenant_scope ON %s AS RESTRICTIVE USING (in_scope(tenant))', of_tenants);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of_tenants);
  END LOOP;
END $$;
