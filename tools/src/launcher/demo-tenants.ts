import { newToken } from '@countersign/deploy/bearer-token';
import type { OwnDirectory } from './data-directory.js';

/** A person of the demonstration: `subject` is the name at the development provider. */
export interface DemoPerson {
  readonly id: string;
  readonly name: string;
  readonly subject: string;
}

/** A person who votes where several people decide. */
export interface DemoVoter extends DemoPerson {
  readonly group: string;
  readonly team: string;
}

interface Machine {
  readonly id: string;
  readonly token: string;
}

/** A tenant with everything that one request needs on its way: machines, people, routes. */
export interface DemoTenant {
  readonly tenant: string;
  readonly producer: Machine;
  readonly publisher: Machine;
  readonly operator: Machine;
  /** The owner first; the others review. */
  readonly people: readonly DemoPerson[];
  /** People with the power to operate; an older data directory has none. */
  readonly operators?: readonly DemoPerson[];
  /** People who read the security log and do nothing else; an older data directory has none. */
  readonly auditors?: readonly DemoPerson[];
  /** Only where the deployment offers approvals of several people. */
  readonly voters?: readonly DemoVoter[];
  readonly routes: { readonly review: string; readonly execution: string };
}

export const TENANTS_FILE = 'tenants.json';

const PEOPLE: Readonly<Record<string, readonly DemoPerson[]>> = {
  demo: [
    { id: 'owner-1', name: 'Olivia Owner', subject: 'olivia' },
    { id: 'reviewer-1', name: 'Ruth Reviewer', subject: 'ruth' },
    { id: 'reviewer-2', name: 'Ravi Reviewer', subject: 'ravi' },
  ],
  other: [
    { id: 'owner-2', name: 'Oscar Owner', subject: 'oscar' },
    { id: 'reviewer-3', name: 'Rosa Reviewer', subject: 'rosa' },
    { id: 'reviewer-4', name: 'Remy Reviewer', subject: 'remy' },
  ],
};

const OPERATORS: Readonly<Record<string, readonly DemoPerson[]>> = {
  demo: [{ id: 'otto', name: 'Otto Operator', subject: 'otto' }],
  other: [{ id: 'oda', name: 'Oda Operator', subject: 'oda' }],
};

const AUDITORS: Readonly<Record<string, readonly DemoPerson[]>> = {
  demo: [{ id: 'anna', name: 'Anna Auditor', subject: 'anna' }],
  other: [{ id: 'arno', name: 'Arno Auditor', subject: 'arno' }],
};

/** Six people in two groups. Two of them share a team in each group, and so count once. */
const VOTERS: readonly DemoVoter[] = [
  voter('finance-1', 'Fiona Finance', 'treasury'),
  voter('finance-2', 'Felix Finance', 'treasury'),
  voter('finance-3', 'Freya Finance', 'controlling'),
  voter('platform-1', 'Petra Platform', 'storage'),
  voter('platform-2', 'Pavel Platform', 'storage'),
  voter('platform-3', 'Priya Platform', 'network'),
];

function voter(id: string, name: string, team: string): DemoVoter {
  const [group = ''] = id.split('-');
  const [first = ''] = name.split(' ');
  return { id, name, subject: first.toLowerCase(), group, team };
}

/** All people of a tenant who can sign in. */
export function everybodyOf(tenant: DemoTenant): readonly DemoPerson[] {
  const { people, operators = [], auditors = [], voters = [] } = tenant;
  return [...people, ...operators, ...auditors, ...voters];
}

/**
 * The two tenants of the demonstration, with the tokens that they got at the first start on this directory. The first one has
 * voters from the first start on that offers approvals.
 */
export function demoTenants(data: OwnDirectory, approvals: boolean): [DemoTenant, DemoTenant] {
  const known = data.read<[DemoTenant, DemoTenant]>(TENANTS_FILE);
  const [demo, other] = known ?? [demoTenant('demo', 1), demoTenant('other', 2)];
  if (known !== null && (!approvals || demo.voters !== undefined)) return known;
  const tenants: [DemoTenant, DemoTenant] = [approvals ? { ...demo, voters: VOTERS } : demo, other];
  // Written before they exist, so that no interruption can lose a token that is in use.
  data.write(TENANTS_FILE, tenants);
  return tenants;
}

function demoTenant(tenant: string, number: number): DemoTenant {
  return {
    tenant,
    producer: machine(`producer-${number}`),
    publisher: machine(`publisher-${number}`),
    operator: machine(`operator-${number}`),
    people: PEOPLE[tenant] ?? [],
    operators: OPERATORS[tenant] ?? [],
    auditors: AUDITORS[tenant] ?? [],
    routes: { review: 'review', execution: 'execution' },
  };
}

function machine(id: string): Machine {
  return { id, token: newToken() };
}
