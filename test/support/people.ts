import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'tenants.json';

interface PersonEntry {
  readonly id: string;
  readonly name: string;
  /** Name at the development provider. */
  readonly subject: string;
}

/** As `npm start` names its own tokens (protocol §8.1). */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/**
 * Tells a launcher that starts on this directory which tenants to make: its usual two, with more people in the first. The
 * people of the demonstration are too few where every role must be another person.
 */
export function writeTenants(dataDirectory: string, more: readonly string[]): void {
  const tenants = [
    tenant('demo', 1, [
      person('owner-1', 'olivia'),
      person('reviewer-1', 'ruth'),
      person('reviewer-2', 'ravi'),
      ...more.map((id) => person(id, id)),
    ]),
    tenant('other', 2, [
      person('owner-2', 'oscar'),
      person('reviewer-3', 'rosa'),
      person('reviewer-4', 'remy'),
    ]),
  ];
  writeFileSync(join(dataDirectory, FILE), JSON.stringify(tenants), { mode: 0o600 });
}

function person(id: string, subject: string): PersonEntry {
  return { id, name: `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`, subject };
}

function tenant(name: string, number: number, people: readonly PersonEntry[]) {
  const machine = (kind: string) => ({ id: `${kind}-${number}`, token: newToken() });
  return {
    tenant: name,
    producer: machine('producer'),
    publisher: machine('publisher'),
    operator: machine('operator'),
    people,
    routes: { review: 'review', execution: 'execution' },
  };
}

export interface Identity {
  readonly oidc_issuer: string;
  readonly oidc_subject: string;
}

/** The identity of a person at the identity provider of a running instance, by the id in `demo.json`. */
export function identityOf(dataDirectory: string, id: string): Identity {
  const file = (name: string) => JSON.parse(readFileSync(join(dataDirectory, name), 'utf8'));
  const { issuer } = file('configured.json') as { issuer: string };
  const tenants = file(FILE) as { people: PersonEntry[] }[];
  const found = tenants.flatMap(({ people }) => people).find((each) => each.id === id);
  if (found === undefined) throw new Error(`no person is called ${id}`);
  return { oidc_issuer: issuer, oidc_subject: found.subject };
}
