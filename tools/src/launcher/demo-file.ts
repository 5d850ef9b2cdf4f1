import type { OwnDirectory } from './data-directory.js';
import type { DemoTenant } from './demo-tenants.js';

export const DEMO_FILE = 'demo.json';

interface PersonEntry {
  id: string;
  name: string;
}
interface Machine {
  id: string;
  token: string;
}
interface TenantEntry {
  tenant: string;
  producer: Machine;
  publisher: Machine;
  operator: Machine;
  people: PersonEntry[];
  routes: { review: string; execution: string };
}

/** The data that a visitor or a script needs to try the running instance. `trust` is the path of the trust manifest. */
export interface DemoFile extends TenantEntry {
  origin: string;
  sandboxOrigin: string;
  /** Where its people log in. */
  issuer: string;
  trust: string;
  other: TenantEntry;
}

export function writeDemoFile(
  data: OwnDirectory,
  { origin, sandboxOrigin, issuer }: Pick<DemoFile, 'origin' | 'sandboxOrigin' | 'issuer'>,
  [demo, other]: readonly [DemoTenant, DemoTenant],
): void {
  const content: DemoFile = {
    origin,
    sandboxOrigin,
    issuer,
    ...entryOf(demo),
    trust: data.at('trust.json'),
    other: entryOf(other),
  };
  data.write(DEMO_FILE, content);
}

function entryOf({
  tenant,
  producer,
  publisher,
  operator,
  people,
  routes,
}: DemoTenant): TenantEntry {
  return {
    tenant,
    producer,
    publisher,
    operator,
    people: people.map(({ id, name }) => ({ id, name })),
    routes,
  };
}
