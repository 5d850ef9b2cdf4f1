import { bootstrapTenant, createOwnerPool } from '@countersign/database';
import type { TrustManifest } from '@countersign/protocol';
import type { OwnDirectory } from './data-directory.js';
import { bringUpToDate } from '@countersign/deploy/database';
import { offersApprovals } from './offers-approvals.js';
import { demoTenants } from './demo-tenants.js';
import type { DemoTenant } from './demo-tenants.js';
import { ensureKeys, trustManifest } from '@countersign/deploy/keys';

/**
 * Everything that has to be there before the first target starts: keys, the trust manifest of `origin`, the schema, the two
 * tenants with their operators. Does only the missing parts.
 */
export async function setUp(
  data: OwnDirectory,
  origin: string,
  databaseUrl: string,
  say: (line: string) => void,
): Promise<void> {
  ensureKeys(data.at('keys'));
  writeTrust(data, origin, say);
  const applied = await bringUpToDate(databaseUrl);
  if (applied.length > 0) say(`database: applied ${applied.join(', ')}`);
  await bootstrapTenants(databaseUrl, demoTenants(data, offersApprovals(process.env)), say);
}

function writeTrust(data: OwnDirectory, origin: string, say: (line: string) => void): void {
  const known = data.read<TrustManifest>('trust.json');
  if (known !== null && known.issuer !== origin) {
    const kept = `trust-${new URL(known.issuer).port}.json`;
    data.write(kept, known);
    say(`the origin was ${known.issuer}: records signed then verify with ${data.at(kept)}`);
  }
  data.write('trust.json', trustManifest(data.at('keys'), origin, known, Date.now()));
}

async function bootstrapTenants(
  databaseUrl: string,
  tenants: readonly DemoTenant[],
  say: (line: string) => void,
): Promise<void> {
  const pool = createOwnerPool({ url: databaseUrl, application: 'countersign bootstrap', max: 1 });
  try {
    for (const { tenant, operator } of tenants) {
      try {
        await bootstrapTenant(pool, {
          tenant,
          operator: operator.id,
          token: operator.token,
          active: true,
        });
        say(`tenant ${tenant}: made, with its operator ${operator.id}`);
      } catch (error) {
        // Made at an earlier start; whether by this directory shows when its operator first calls.
        if ((error as { code?: string }).code !== 'tenant_exists') throw error;
      }
    }
  } finally {
    await pool.end();
  }
}
