import pg from 'pg';
import type { Ends } from '../ends.js';

/** Beyond the rate of a closed loop on any machine. */
const UNLIMITED = '100000000';

/** Settings of a product whose rates are lifted, and whose limits of concurrent calls are not. */
export const NO_RATES = {
  RATE_PRINCIPAL: UNLIMITED,
  RATE_TENANT: UNLIMITED,
  RATE_PAGE: UNLIMITED,
};

const QUOTAS = [
  ...['daily_tenant', 'daily_owner', 'daily_route', 'outstanding_tenant', 'outstanding_owner'],
  ...['tenant_per_minute', 'tenant_burst', 'owner_per_minute', 'owner_burst'],
  ...['bundle_daily_tenant', 'bundle_daily_publisher', 'bundle_tenant_per_minute'],
  ...['bundle_tenant_burst', 'bundle_publisher_per_minute', 'bundle_publisher_burst'],
];

/** Every figure of protocol §9.2 that would end a load or a lifecycle. */
const LIFT = `UPDATE tenant SET quotas = '${JSON.stringify(
  Object.fromEntries(QUOTAS.map((name) => [name, 1_000_000])),
)}'`;

export interface Quotas {
  /** Lifts those of all tenants that there are. */
  lift(): Promise<void>;
  /** A tenant's store is full after some 700 requests. */
  emptyStores(): Promise<void>;
}

/** The quotas of a product's tenants, changed as the database's owner. */
export async function quotasIn(databaseUrl: string, ends: Ends): Promise<Quotas> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  ends.push(() => database.end());
  return {
    lift: async () => void (await database.query(LIFT)),
    emptyStores: async () => void (await database.query('DELETE FROM retained')),
  };
}
