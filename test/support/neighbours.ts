import { DEFAULT_LIMITS } from '@countersign/protocol';
import { Client, operatorOf, personOf, producerOf } from './client.js';
import type { Demo, Instance } from './instance.js';
import { identityOf, newToken } from './people.js';

/** People that {@link gatherNeighbours} needs beyond those of the demonstration. */
export const MORE_PEOPLE = ['olga'] as const;

/**
 * All callers who could call about another's request: two tenants whose routes, one producer and one reviewer have the same
 * ids, and the reviewer is one person in both, so that only the tenant tells them apart.
 */
export interface Neighbours {
  readonly demo: Demo;
  readonly producer: Client;
  /** Bound to the same publisher, owner and routes. */
  readonly otherProducer: Client;
  readonly disabledProducer: Client;
  readonly publisher: Client;
  readonly operator: Client;
  /** The producers' owner, and so requester; owns requests by itself too, and is named by the route as a reviewer. */
  readonly requester: Client;
  readonly reviewers: readonly [Client, Client];
  /** Of another route of the tenant. */
  readonly strangeReviewer: Client;
  /** Not named by any route. */
  readonly humanOperator: Client;
  readonly anonymous: Client;
  readonly elsewhere: {
    /** Of the id of `producer`. */
    readonly producer: Client;
    readonly publisher: Client;
    readonly operator: Client;
    readonly humanOperator: Client;
    /** Of the id of `reviewers[0]`. */
    readonly reviewer: Client;
  };
  /** Ids of the two reviewers. */
  readonly reviewerIds: readonly [string, string];
  readonly requesterId: string;
  /** A route of its own for requests of both purposes, by the seconds that it allows for each step; made once. */
  route(seconds?: Partial<RouteSeconds>): Promise<string>;
}

export interface RouteSeconds {
  readonly review_seconds: number;
  readonly grant_seconds: number;
  readonly execution_seconds: number;
  readonly reconciliation_seconds: number;
}

export async function gatherNeighbours({ demo, dataDirectory }: Instance): Promise<Neighbours> {
  const { other, origin } = demo;
  const operator = operatorOf(demo);
  const elsewhereOperator = new Client(origin, { token: other.operator.token });
  const [olga] = MORE_PEOPLE;
  const [requesterId = '', firstId = '', strangeId = ''] = demo.people.map(({ id }) => id);
  const [elsewhereOwner = '', rosa = '', remy = ''] = other.people.map(({ id }) => id);
  const who = (id: string) => identityOf(dataDirectory, id);
  const human = (by: Client, id: string, config: object) =>
    configure(by, 'principals', id, { id, kind: 'human', config: { enabled: true, ...config } });
  const producer = (by: Client, id: string, config: object, token: string) =>
    configure(by, 'principals', id, { id, kind: 'producer', token, config });
  const tokens = { other: newToken(), disabled: newToken(), elsewhere: newToken() };
  const publisher = demo.publisher.id;

  await human(operator, requesterId, { ...who(requesterId), publisher });
  await human(operator, olga, { ...who(olga), operator: true });
  await human(elsewhereOperator, remy, { ...who(remy), operator: true });
  // One person in two tenants, by one id: at a login she chooses (R37).
  await human(operator, rosa, who(rosa));

  const made = new Map<string, Promise<string>>();
  const named = new Set<string>();
  const ids = [demo.producer.id, 'producer-other', 'producer-disabled'];
  /** The producers, here and elsewhere, may use all routes that there are. */
  async function bind(): Promise<void> {
    const routes = [...named];
    const owner = requesterId;
    for (const [place, id] of ids.entries()) {
      const token = [demo.producer.token, tokens.other, tokens.disabled][place] ?? '';
      const enabled = id !== 'producer-disabled';
      await producer(operator, id, { enabled, publisher, owner, routes }, token);
    }
    const config = {
      enabled: true,
      publisher: other.publisher.id,
      owner: elsewhereOwner,
      routes,
    };
    await producer(elsewhereOperator, demo.producer.id, config, tokens.elsewhere);
  }
  let binding = Promise.resolve();
  async function route(seconds: Partial<RouteSeconds> = {}): Promise<string> {
    const id = ['route', ...Object.values(seconds)].join('-');
    const common = {
      separation_of_duties: true,
      limits: { ...DEFAULT_LIMITS, ...seconds },
      required_profiles: {},
      modes: ['durable'],
    };
    await configure(operator, 'routes', id, {
      ...common,
      reviewers: [rosa, firstId, requesterId],
      allowed_producers: [...ids, requesterId],
    });
    await configure(elsewhereOperator, 'routes', id, {
      ...common,
      reviewers: [rosa],
      allowed_producers: [demo.producer.id, elsewhereOwner],
    });
    named.add(id);
    binding = binding.then(bind);
    await binding;
    return id;
  }
  await configure(operator, 'routes', 'another', {
    reviewers: [strangeId],
    separation_of_duties: true,
    limits: DEFAULT_LIMITS,
    required_profiles: {},
    allowed_producers: ids,
    modes: [],
  });

  const login = (id: string, tenant?: string) => personOf(demo, dataDirectory, id, tenant);
  const [requester, second, strangeReviewer, humanOperator, theirOperator] = (await Promise.all(
    [requesterId, firstId, strangeId, olga, remy].map((id) => login(id)),
  )) as [Client, Client, Client, Client, Client];
  const [first, theirReviewer] = await Promise.all([
    login(rosa, demo.tenant),
    login(rosa, other.tenant),
  ]);
  const bearer = (token: string) => new Client(origin, { token });
  return {
    demo,
    producer: producerOf(demo),
    otherProducer: bearer(tokens.other),
    disabledProducer: bearer(tokens.disabled),
    publisher: bearer(demo.publisher.token),
    operator,
    requester,
    reviewers: [first, second],
    strangeReviewer,
    humanOperator,
    anonymous: new Client(origin, null),
    elsewhere: {
      producer: bearer(tokens.elsewhere),
      publisher: bearer(other.publisher.token),
      operator: elsewhereOperator,
      humanOperator: theirOperator,
      reviewer: theirReviewer,
    },
    reviewerIds: [rosa, firstId],
    requesterId,
    route(seconds) {
      const key = JSON.stringify(seconds ?? {});
      const known = made.get(key) ?? route(seconds);
      made.set(key, known);
      return known;
    },
  };
}

async function configure(
  operator: Client,
  what: 'principals' | 'routes',
  id: string,
  body: object,
): Promise<void> {
  const answer = await operator.put(`/v2/admin/${what}/${id}`, body);
  if (answer.status !== 200) throw new Error(`${id} was not configured: ${answer.text}`);
}
