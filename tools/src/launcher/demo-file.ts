import type { OwnDirectory } from './data-directory.js';
import { APPROVALS_ROUTE } from './demo-approvals.js';
import type { DemoTenant, DemoVoter } from './demo-tenants.js';

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
  /** Only where the instance offers approvals of several people: who decides on that route. */
  approvals?: { route: string; voters: Omit<DemoVoter, 'subject'>[] };
  other: TenantEntry;
}

export function writeDemoFile(
  data: OwnDirectory,
  { origin, sandboxOrigin, issuer }: Pick<DemoFile, 'origin' | 'sandboxOrigin' | 'issuer'>,
  [demo, other]: readonly [DemoTenant, DemoTenant],
  approvals: boolean,
): void {
  const content: DemoFile = {
    origin,
    sandboxOrigin,
    issuer,
    ...entryOf(demo),
    trust: data.at('trust.json'),
    ...(approvals && { approvals: approvalsOf(demo) }),
    other: entryOf(other),
  };
  data.write(DEMO_FILE, content);
}

function approvalsOf({ voters = [] }: DemoTenant): NonNullable<DemoFile['approvals']> {
  return {
    route: APPROVALS_ROUTE,
    voters: voters.map(({ id, name, group, team }) => ({ id, name, group, team })),
  };
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
