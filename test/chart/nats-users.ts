import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART } from './tools.js';

export interface User {
  readonly user: string;
  readonly password: string;
  readonly permissions: {
    readonly publish: { allow?: string[]; deny?: string[] };
    readonly subscribe: { allow: string[] };
    readonly allow_responses?: { max: number; ttl: string };
  };
}

interface NatsValues {
  readonly container: { readonly env: Readonly<Record<string, unknown>> };
  readonly config: {
    readonly merge: {
      readonly ping_interval: string;
      readonly ping_max: number;
      readonly authorization: { readonly users: readonly User[] };
      readonly accounts: Readonly<Record<string, { readonly users: readonly User[] }>>;
    };
  };
}

const example = (name: string): NatsValues =>
  parse(readFileSync(join(CHART, 'examples', `${name}-values.yaml`), 'utf8')) as NatsValues;

/** The values for the nats chart that come with ours. */
export const NATS_VALUES = example('nats');
export const NATS_USERS = NATS_VALUES.config.merge.authorization.users;
/** Of each cell on one server, by its account. */
export const CELL_USERS = example('cells-nats').config.merge.accounts;

/** Configuration of a server with these users, as the nats chart writes it; passwords are the users' names here. */
export function natsConfigOf(of: readonly User[]): string {
  return `authorization ${usersOf(of)}`;
}

/** The same with an account for each cell. */
export function natsConfigOfCells(cells: typeof CELL_USERS): string {
  const accounts = Object.entries(cells).map(([cell, { users }]) => `${cell}: ${usersOf(users)}`);
  return `accounts {\n${accounts.join('\n')}\n}`;
}

function usersOf(of: readonly User[]): string {
  const list = (subjects: readonly string[]): string =>
    `[${subjects.map((s) => JSON.stringify(s)).join(', ')}]`;
  const lines = of.map(({ user, permissions: { publish, subscribe, allow_responses } }) => {
    const responses =
      allow_responses === undefined
        ? ''
        : `allow_responses: { max: ${allow_responses.max}, expires: "${allow_responses.ttl}" }`;
    const may =
      publish.allow === undefined
        ? `deny: ${list(publish.deny ?? [])}`
        : `allow: ${list(publish.allow)}`;
    return `{ user: ${user}, password: ${user}, permissions: { publish: { ${may} }, subscribe: { allow: ${list(subscribe.allow)} }, ${responses} } }`;
  });
  return `{ users: [\n${lines.join('\n')}\n] }`;
}
