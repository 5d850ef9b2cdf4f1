-- A second line between tenants: whatever a statement of a service asks, Postgres shows and changes the rows of the
-- connection's scope alone (decisions/0023). The scope is one tenant, or `*` for all of them; `!` is no tenant's.

-- Processes of the version before name no scope, so connections that never did see every row, until
-- `countersign migrate --finish`. A database without tenants has no such process.
CREATE FUNCTION in_scope(tenant text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
  RETURN (current_setting('countersign.tenant', true) = tenant OR current_setting('countersign.tenant', true) = '*')
    IS NOT FALSE;
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM tenant) THEN
    CREATE OR REPLACE FUNCTION in_scope(tenant text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
      RETURN current_setting('countersign.tenant', true) = tenant OR current_setting('countersign.tenant', true) = '*';
  END IF;
END $$;

-- Restrictive: whatever other policies allow, now and later, this one is needed too.
DO $$
DECLARE
  of_tenants regclass;
BEGIN
  FOR of_tenants IN
    SELECT c.oid FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'tenant' AND NOT a.attisdropped
    ORDER BY c.relname
  LOOP
    IF NOT EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = of_tenants) THEN
      EXECUTE format('CREATE POLICY as_granted ON %s USING (true)', of_tenants);
    END IF;
    EXECUTE format('CREATE POLICY tenant_scope ON %s AS RESTRICTIVE USING (in_scope(tenant))', of_tenants);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', of_tenants);
  END LOOP;
END $$;
