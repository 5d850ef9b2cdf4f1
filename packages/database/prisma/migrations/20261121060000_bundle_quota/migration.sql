-- Contract §9.2: retained bundles of the tenant, and of the publisher together with its largest producer's requests.
CREATE OR REPLACE FUNCTION take_bundle_quota(of_tenant text, of_publisher text, new_bytes bigint, amounts jsonb) RETURNS boolean
LANGUAGE plpgsql SET search_path = public AS $$
DECLARE
  today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  most bigint := (amounts ->> 'bundle_retained')::bigint;
  now_used integer;
  of_all bigint;
  of_own bigint;
  largest bigint;
BEGIN
  INSERT INTO quota_day AS q VALUES (of_tenant, 'bundle_tenant', '', today, 1)
  ON CONFLICT (tenant, scope, subject, day) DO UPDATE SET used = q.used + 1 RETURNING used INTO now_used;
  IF now_used > (amounts ->> 'bundle_daily_tenant')::integer THEN RAISE EXCEPTION 'bundle_daily_quota' USING ERRCODE = 'CSQ01'; END IF;
  INSERT INTO quota_day AS q VALUES (of_tenant, 'bundle_publisher', of_publisher, today, 1)
  ON CONFLICT (tenant, scope, subject, day) DO UPDATE SET used = q.used + 1 RETURNING used INTO now_used;
  IF now_used > (amounts ->> 'bundle_daily_publisher')::integer THEN RAISE EXCEPTION 'bundle_daily_quota' USING ERRCODE = 'CSQ01'; END IF;
  PERFORM take_token(of_tenant, 'bundle_tenant', '', (amounts ->> 'bundle_tenant_per_minute')::float8, (amounts ->> 'bundle_tenant_burst')::float8, 'bundle_rate');
  PERFORM take_token(of_tenant, 'bundle_publisher', of_publisher, (amounts ->> 'bundle_publisher_per_minute')::float8, (amounts ->> 'bundle_publisher_burst')::float8, 'bundle_rate');
  SELECT coalesce(sum(r.bytes), 0), coalesce(sum(r.bytes) FILTER (WHERE r.subject = of_publisher), 0) INTO of_all, of_own
  FROM retained r WHERE r.tenant = of_tenant AND r.scope = 'publisher';
  SELECT coalesce(max(p.bytes), 0) INTO largest FROM (
    SELECT (SELECT sum(r.bytes) FROM retained r WHERE r.tenant = of_tenant AND r.scope = 'owner' AND r.subject = producer.id) AS bytes
    FROM principal producer
    WHERE producer.tenant = of_tenant AND producer.kind = 'producer' AND producer.config ->> 'publisher' = of_publisher) p;
  IF of_all + new_bytes > most OR of_own + largest + new_bytes > most THEN
    RAISE EXCEPTION 'retained_quota' USING ERRCODE = 'CSQ01';
  END IF;
  RETURN true;
END $$;
