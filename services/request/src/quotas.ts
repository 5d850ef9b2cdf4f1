import { DEFAULT_QUOTAS, Refusal, isErrorCode } from '@countersign/protocol';

/**
 * The metrics of protocol §9.2 as the database's quota functions read them; a tenant's own `quotas` override them by name.
 * They are counted in Postgres, so they are the same for any number of replicas (R20).
 */
export const QUOTA_AMOUNTS = {
  daily_tenant: DEFAULT_QUOTAS.requestsPerDay.tenant,
  daily_owner: DEFAULT_QUOTAS.requestsPerDay.producer,
  daily_route: DEFAULT_QUOTAS.requestsPerDay.route,
  outstanding_tenant: DEFAULT_QUOTAS.outstanding.tenant,
  outstanding_owner: DEFAULT_QUOTAS.outstanding.producer,
  tenant_per_minute: DEFAULT_QUOTAS.creationRate.tenant.perMinute,
  tenant_burst: DEFAULT_QUOTAS.creationRate.tenant.burst,
  owner_per_minute: DEFAULT_QUOTAS.creationRate.producer.perMinute,
  owner_burst: DEFAULT_QUOTAS.creationRate.producer.burst,
  bundle_daily_tenant: DEFAULT_QUOTAS.bundlesPerDay.tenant,
  bundle_daily_publisher: DEFAULT_QUOTAS.bundlesPerDay.publisher,
  bundle_tenant_per_minute: DEFAULT_QUOTAS.bundleRate.tenant.perMinute,
  bundle_tenant_burst: DEFAULT_QUOTAS.bundleRate.tenant.burst,
  bundle_publisher_per_minute: DEFAULT_QUOTAS.bundleRate.publisher.perMinute,
  bundle_publisher_burst: DEFAULT_QUOTAS.bundleRate.publisher.burst,
  bundle_retained: DEFAULT_QUOTAS.retainedBundleBytes,
} as const;

export type QuotaAmounts = typeof QUOTA_AMOUNTS;

/** Throws the refusal that a quota function of the database has named, if it has. */
export function requireQuota(named: string | null): void {
  if (named === null) return;
  if (!isErrorCode(named))
    throw new TypeError(`the database names a refusal unknown here: ${named}`);
  throw new Refusal(named);
}
