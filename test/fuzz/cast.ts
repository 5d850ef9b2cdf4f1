import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '@countersign/protocol';
import type { CallerKind } from '@countersign/protocol';
import { Client, operatorOf, personOf } from '../support/client.js';
import type { Demo, Instance } from '../support/instance.js';
import type { Caller } from './caller.js';
import { withCanary } from './canary.js';

/** Who is there for a whole run; a chain adds producers of its own. */
export interface Cast {
  readonly demo: Demo;
  readonly publisher: Caller;
  readonly operator: Caller;
  /** A human who may own requests and publish bundles, and two who review, the last of them with the power to operate. */
  readonly owner: Caller;
  readonly reviewers: readonly [Caller, Caller];
  /** An app that requests can be made with. */
  readonly bundle: string;
  /** Of the other tenant, and strangers to both. */
  readonly others: readonly Caller[];
  /** Issuer and subject of a demo person, which never change; undefined for anybody else. */
  identityOf(id: string): { oidc_issuer: string; oidc_subject: string } | undefined;
  /** Resets the shared principals to those of the cast. */
  restore(): Promise<void>;
}

export const newToken = (): string => randomBytes(32).toString('base64url');

export async function gatherCast({ demo, dataDirectory }: Instance): Promise<Cast> {
  const login = async (tenant: string, id: string): Promise<Caller> => {
    const { credentials } = await personOf(demo, dataDirectory, id);
    return { name: id, kind: 'human', id, tenant, credentials };
  };
  const machine = (
    kind: CallerKind,
    tenant: string,
    { id, token }: { id: string; token: string },
  ): Caller => ({ name: id, kind, id, tenant, credentials: { token } });
  const { other } = demo;
  const [owner, ruth, ravi, rosa] = (await Promise.all([
    ...demo.people.map(({ id }) => login(demo.tenant, id)),
    login(other.tenant, other.people[1]?.id ?? ''),
  ])) as [Caller, Caller, Caller, Caller];
  const operator = operatorOf(demo);
  const registered = await new Client(demo.origin, { token: demo.publisher.token }).post(
    '/v2/bundles',
    { html: withCanary('<p>'), compatibility: { agent_ui: '2' }, author: 'A', licence: 'MIT' },
  );
  const identityOf = identities(dataDirectory);
  const nobody = { kind: null, id: '', tenant: '' };
  return {
    demo,
    publisher: machine('publisher', demo.tenant, demo.publisher),
    operator: machine('operator', demo.tenant, demo.operator),
    owner,
    reviewers: [ruth, ravi],
    bundle: registered.body.id as string,
    others: [
      machine('producer', other.tenant, other.producer),
      machine('operator', other.tenant, other.operator),
      machine('publisher', other.tenant, other.publisher),
      rosa,
      { ...nobody, name: 'nobody', credentials: null },
      { ...nobody, name: 'a stranger', credentials: { token: newToken() } },
    ],
    identityOf,
    async restore() {
      await put(operator, demo.publisher.id, 'publisher', { enabled: true }, demo.publisher.token);
      for (const [id, power] of [
        [owner.id, { publisher: demo.publisher.id }],
        [ruth.id, {}],
        [ravi.id, { operator: true }],
      ] as const) {
        await put(operator, id, 'human', { enabled: true, ...power, ...identityOf(id) });
      }
      // A person who was disabled meanwhile has lost their session for good.
      for (const caller of [owner, ruth, ravi]) {
        const { status } = await new Client(demo.origin, caller.credentials).get('/v2/requests');
        if (status !== 401) continue;
        const { credentials } = await login(caller.tenant, caller.id);
        Object.assign(caller.credentials as object, credentials);
      }
    },
  };
}

async function put(
  operator: Client,
  id: string,
  kind: string,
  config: object,
  token?: string,
): Promise<void> {
  const body = { id, kind, config, ...(token === undefined ? {} : { token }) };
  const answer = await operator.put(`/v2/admin/principals/${encodeURIComponent(id)}`, body);
  if (answer.status !== 200) throw new Error(`${id} was not configured: ${answer.text}`);
}

function identities(dataDirectory: string) {
  const file = (name: string) => JSON.parse(readFileSync(join(dataDirectory, name), 'utf8'));
  const { issuer } = file('configured.json') as { issuer: string };
  const people = (file('tenants.json') as { people: { id: string; subject: string }[] }[]).flatMap(
    (tenant) => tenant.people,
  );
  return (id: string) => {
    const person = people.find((candidate) => candidate.id === id);
    return person && { oidc_issuer: issuer, oidc_subject: person.subject };
  };
}

/** Producers and routes of one chain: nothing that another chain did can be seen through them. */
export interface Scenario {
  readonly producers: readonly [Caller, Caller];
  /** For anything; for requests that are over within a second or two; for requests that need the profile of apps. */
  readonly routes: readonly [string, string, string];
}

let chains = 0;

export async function newScenario(cast: Cast): Promise<Scenario> {
  chains += 1;
  const { demo } = cast;
  const operator = operatorOf(demo);
  const suffix = `${chains}-${randomBytes(4).toString('hex')}`;
  const routes = [`any-${suffix}`, `short-${suffix}`, `apps-${suffix}`] as const;
  const producers = ['bot', 'rival'].map((name): Caller => {
    const id = `${name}-${suffix}`;
    return { name, kind: 'producer', id, tenant: demo.tenant, credentials: { token: newToken() } };
  }) as [Caller, Caller];
  for (const [place, route] of routes.entries()) {
    const answer = await operator.put(
      `/v2/admin/routes/${route}`,
      routeOf(cast, producers, place as 0 | 1 | 2),
    );
    if (answer.status !== 200) throw new Error(`${route} was not configured: ${answer.text}`);
  }
  for (const { id, credentials } of producers) {
    const config = { enabled: true, publisher: cast.publisher.id, owner: cast.owner.id, routes };
    await put(operator, id, 'producer', config, (credentials as { token: string }).token);
  }
  return { producers, routes };
}

/** A RouteInput for one of a scenario's routes. */
export function routeOf(cast: Cast, producers: readonly Caller[], place: 0 | 1 | 2) {
  const short = { review_seconds: 2, grant_seconds: 2, execution_seconds: 1 };
  return {
    reviewers: cast.reviewers.map(({ id }) => id),
    separation_of_duties: true,
    limits: {
      ...DEFAULT_LIMITS,
      response_bytes: 2_000,
      payload_bytes: 20_000,
      ...(place === 1 ? { ...short, reconciliation_seconds: 1, audit_seconds: 3 } : {}),
    },
    required_profiles: place === 2 ? { 'proto.agent-ui': '2' } : {},
    allowed_producers: [...producers.map(({ id }) => id), cast.owner.id],
    modes: ['live_window', 'durable'],
  };
}
