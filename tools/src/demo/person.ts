import { dataDirectory } from '@countersign/deploy/data-directory';
import { DEMO_FILE } from '../launcher/demo-file.js';
import type { DemoFile } from '../launcher/demo-file.js';
import { TENANTS_FILE, everybodyOf } from '../launcher/demo-tenants.js';
import type { DemoTenant } from '../launcher/demo-tenants.js';
import { PlainError } from '@countersign/deploy/plain-error';
import { logIn } from './login.js';
import type { Session } from './login.js';

/**
 * Logs a demo person in to the running instance of that data directory, by their id; to another tenant than their own, or as
 * another principal, where they are in its directory too. Throws PlainError.
 */
export function logInAs(
  data: string,
  person: string,
  tenant?: string,
  principal?: string,
): Promise<Session> {
  const found = demoPerson(data, person);
  const choice = { tenant: tenant ?? found.tenant, principal };
  return logIn(demoFileOf(data).origin, found.subject, choice);
}

/** How to reach the instance of that data directory. Throws PlainError when there is none. */
export function demoFileOf(data: string): DemoFile {
  const demo = dataDirectory(data).read<DemoFile>(DEMO_FILE);
  if (demo !== null) return demo;
  throw new PlainError(
    `There is no instance in ${data}. Start one with \`npm start\`, or name its data directory with --data DIR.`,
  );
}

/** The name of a person at the development provider. Throws PlainError for an unknown id. */
export function subjectOf(data: string, person: string): string {
  return demoPerson(data, person).subject;
}

function demoPerson(data: string, person: string): { subject: string; tenant: string } {
  const tenants = dataDirectory(data).read<DemoTenant[]>(TENANTS_FILE) ?? [];
  const people = tenants.flatMap((of) =>
    everybodyOf(of).map((each) => ({ ...each, tenant: of.tenant })),
  );
  const found = people.find(({ id }) => id === person);
  if (found !== undefined) return found;
  const known = people.map(({ id, name }) => `${id} (${name})`).join(', ');
  throw new PlainError(`No person is called ${person}. The people are: ${known}.`);
}
