import { DEFAULT_LIMITS, valueDigest } from '@countersign/protocol';
import { Client, operatorOf, personOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { newRoute } from '../support/own-route.js';
import type { OwnRoute } from '../support/own-route.js';
import { identityOf, newToken } from '../support/people.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
} from '../support/requests.js';

// A person who may configure and may review authorises nothing alone (protocol R38). Ruth does both here, Ravi only
// reviews, Oona only operates, and `operator` is a bearer operator, whose changes are of no person.

const OONA = 'oona';

let instance: Instance;
let operator: Client;
let ruth: Client;
let ravi: Client;
let oona: Client;
let reviewers: [string, string];

beforeAll(async () => {
  instance = await startInstance({ people: [OONA] });
  const { demo, dataDirectory } = instance;
  operator = operatorOf(demo);
  const [, ruthId = '', raviId = ''] = demo.people.map(({ id }) => id);
  reviewers = [ruthId, raviId];
  for (const id of [ruthId, OONA]) {
    const config = { enabled: true, operator: true, ...identityOf(dataDirectory, id) };
    const answer = await operator.put(`/v2/admin/principals/${id}`, { id, kind: 'human', config });
    expect(answer.status).toBe(200);
  }
  [ruth, ravi, oona] = (await Promise.all(
    [ruthId, raviId, OONA].map((id) => personOf(demo, dataDirectory, id)),
  )) as [Client, Client, Client];
});
afterAll(async () => {
  await instance?.stop();
});

const SEPARATED = [403, 'separation_of_duties'];
const codeOf = ({ status, body }: Answer) => [status, body.error];

/** A route that a bearer operator configured, with a producer of its own. */
const ownRoute = () => newRoute(instance.demo, operator, reviewers);

interface Changed {
  readonly route?: object;
  readonly producer?: object;
  readonly token?: string;
}

/** The route or producer of `own` as it is configured at first, with changes. */
async function change(by: Client, own: OwnRoute, { route, producer, token }: Changed) {
  const { producer: client, producerId, ownerId } = own;
  const answer =
    route !== undefined
      ? await by.put(`/v2/admin/routes/${own.route}`, routeOf(own, route))
      : await by.put(`/v2/admin/principals/${producerId}`, {
          id: producerId,
          kind: 'producer',
          ...(token === undefined ? {} : { token }),
          config: {
            enabled: true,
            publisher: instance.demo.publisher.id,
            owner: ownerId,
            routes: [own.route],
            ...producer,
          },
        });
  expect(answer.status).toBe(200);
  return token === undefined ? client : new Client(client.origin, { token });
}

function routeOf(own: OwnRoute, changes: object) {
  return {
    reviewers,
    separation_of_duties: true,
    limits: DEFAULT_LIMITS,
    required_profiles: {},
    allowed_producers: [own.producerId],
    modes: ['durable'],
    ...changes,
  };
}

it('an operator who makes producer and token and joins the reviewers cannot confirm its requests', async () => {
  const token = newToken();
  const id = 'bot-of-ruth';
  const route = 'route-of-ruth';
  const { demo } = instance;
  const put = async (what: string, name: string, body: object) =>
    expect((await ruth.put(`/v2/admin/${what}/${name}`, body)).status).toBe(200);
  await put('routes', route, routeOf({ producerId: id } as OwnRoute, {}));
  const config = {
    enabled: true,
    publisher: demo.publisher.id,
    owner: demo.people[0]?.id,
    routes: [route],
  };
  await put('principals', id, { id, kind: 'producer', token, config });
  const filed = await new Client(demo.origin, { token }).post(
    '/v2/requests',
    executionInput(demo, { route }),
  );
  expect(filed.status).toBe(201);
  const of = `/v2/requests/${filed.body.request.id}`;
  expect(codeOf(await ruth.post(`${of}/assignment`))).toEqual(SEPARATED);
  expect(codeOf(await decide(ruth, filed.body.request.id, 'authorise'))).toEqual(SEPARATED);
  // Nothing is left behind: the lease is free, and the request waits for another reviewer.
  expect((await ravi.post(`${of}/assignment`)).status).toBe(200);
  expect((await decide(ravi, filed.body.request.id, 'authorise')).status).toBe(200);
});

describe('one own change in force bars its author from deciding, and no other person:', () => {
  test.each<[string, (own: OwnRoute) => Changed]>([
    [
      'a rule of the route',
      () => ({ route: { limits: { ...DEFAULT_LIMITS, review_seconds: 3600 } } }),
    ],
    ['a reviewer who joins', () => ({ route: { reviewers: [...reviewers, OONA] } })],
    [
      'a producer that may use the route',
      ({ producerId }) => ({ route: { allowed_producers: [producerId, 'another-bot'] } }),
    ],
    ['the producer’s entry', () => ({ producer: { name: 'Payments' } })],
    ['the producer’s token', () => ({ token: newToken() })],
  ])('%s', async (_, changed) => {
    const own = await ownRoute();
    const producer = await change(ruth, own, changed(own));
    const filed = await producer.post('/v2/requests', reviewInput(own.demo));
    expect(filed.status).toBe(201);
    const { id } = filed.body.request;
    expect(codeOf(await ruth.post(`/v2/requests/${id}/assignment`))).toEqual(SEPARATED);
    expect(codeOf(await decide(ruth, id, 'answer'))).toEqual(SEPARATED);
    expect((await decide(ravi, id, 'answer')).status).toBe(200);
  });

  it('a reviewer removed from the route', async () => {
    const own = await ownRoute();
    await own.putRoute({ reviewers: [...reviewers, OONA] });
    await change(ruth, own, { route: { reviewers } });
    const filed = await own.producer.post('/v2/requests', reviewInput(own.demo));
    expect(codeOf(await decide(ruth, filed.body.request.id, 'answer'))).toEqual(SEPARATED);
    expect((await decide(ravi, filed.body.request.id, 'answer')).status).toBe(200);
  });
});

it('configures nothing between freezing an answer and confirming it', async () => {
  const own = await ownRoute();
  const filed = await own.producer.post('/v2/requests', reviewInput(own.demo));
  const of = `/v2/requests/${filed.body.request.id}`;
  const candidate = await ruth.post(`${of}/candidates`, {
    response: { note: 'seen' },
    decision: 'answer',
  });
  expect(candidate.status).toBe(201);
  await change(ruth, own, { token: newToken() });
  const confirmed = await ruth.post(`${of}/confirm`, {
    candidate_id: candidate.body.id,
    candidate_digest: valueDigest(candidate.body),
  });
  expect(codeOf(confirmed)).toEqual(SEPARATED);
});

describe('after a decision', () => {
  it('an authorising reviewer does not take the producer’s token and execute', async () => {
    const own = await ownRoute();
    const granted = await authorisedRequest(own.demo, own.producer, ruth);
    const others = await authorisedRequest(own.demo, own.producer, ravi);
    const taken = await change(ruth, own, { token: newToken() });
    const claims = ({ body }: Answer) => `/v2/requests/${body.request.id}/claims`;
    expect(codeOf(await taken.post(claims(granted), claimInput(granted)))).toEqual(SEPARATED);
    // Another person's grant stands, and their own is usable again once another operator has set the token.
    expect((await taken.post(claims(others), claimInput(others))).status).toBe(201);
    const freed = await change(oona, own, { token: newToken() });
    expect((await freed.post(claims(granted), claimInput(granted))).status).toBe(201);
  });

  it('nor gets an admission for an earlier claim', async () => {
    const own = await ownRoute();
    const granted = await authorisedRequest(own.demo, own.producer, ruth);
    const of = `/v2/requests/${granted.body.request.id}`;
    const input = claimInput(granted);
    const claim = await own.producer.post(`${of}/claims`, input);
    const admission = {
      claim_id: claim.body.payload.id,
      execution_identity: input.execution_identity,
      nonce: newToken(),
    };
    const taken = await change(ruth, own, { token: newToken() });
    expect(codeOf(await taken.post(`${of}/admission`, admission, { key: null }))).toEqual(
      SEPARATED,
    );
  });

  it('a change of reviewers takes no grant away', async () => {
    const own = await ownRoute();
    const granted = await authorisedRequest(own.demo, own.producer, ruth);
    await change(ruth, own, { route: { reviewers: [...reviewers, OONA] } });
    const claim = await own.producer.post(
      `/v2/requests/${granted.body.request.id}/claims`,
      claimInput(granted),
    );
    expect(claim.status).toBe(201);
  });
});

describe('only the last change is in force', () => {
  async function mayDecide(own: OwnRoute, producer: Client): Promise<boolean> {
    const filed = await producer.post('/v2/requests', reviewInput(own.demo));
    const { status } = await decide(ruth, filed.body.request.id, 'answer');
    return status === 200;
  }

  it('a save that alters nothing has no author', async () => {
    const own = await ownRoute();
    const { token } = own.producer.credentials as { token: string };
    await change(ruth, own, { route: {} });
    await change(ruth, own, { token });
    expect(await mayDecide(own, own.producer)).toBe(true);
  });

  it('a change stays its author’s when another operator saves it again, and ends when one sets it anew', async () => {
    const own = await ownRoute();
    const limits = { ...DEFAULT_LIMITS, review_seconds: 3600 };
    await change(ruth, own, { route: { limits } });
    await change(oona, own, { route: { limits } });
    expect(await mayDecide(own, own.producer)).toBe(false);
    await change(oona, own, { route: {} });
    expect(await mayDecide(own, own.producer)).toBe(true);
  });

  it('a membership stays its author’s when another operator changes the list', async () => {
    const own = await ownRoute();
    await own.putRoute({ reviewers: [reviewers[1]] });
    await change(ruth, own, { route: {} });
    await change(oona, own, { route: { reviewers: [...reviewers, OONA] } });
    expect(await mayDecide(own, own.producer)).toBe(false);
    await change(oona, own, { route: { reviewers: [reviewers[1]] } });
    await change(oona, own, { route: {} });
    expect(await mayDecide(own, own.producer)).toBe(true);
  });
});

it('does not apply where duties are not separated', async () => {
  const own = await ownRoute();
  await change(ruth, own, { route: { separation_of_duties: false } });
  const filed = await own.producer.post('/v2/requests', reviewInput(own.demo));
  expect((await decide(ruth, filed.body.request.id, 'answer')).status).toBe(200);
});

describe('the preview of a change says where its author will not be able to decide', () => {
  const preview = (by: Client, what: 'route' | 'principal', id: string, body: object) =>
    by.call('POST', `/operator/data/preview/${what}?id=${id}`, body, { key: null });

  it('of a route, to its reviewers', async () => {
    const own = await ownRoute();
    const limits = { ...DEFAULT_LIMITS, review_seconds: 3600 };
    const asked = (by: Client, changes: object) =>
      preview(by, 'route', own.route, routeOf(own, changes)).then(({ body }) => body.barred);
    expect(await asked(ruth, { limits })).toEqual([own.route]);
    expect(await asked(ruth, {})).toEqual([]);
    expect(await asked(ruth, { separation_of_duties: false })).toEqual([]);
    expect(await asked(oona, { limits })).toEqual([]);
  });

  it('of a producer, to the reviewers of its routes', async () => {
    const own = await ownRoute();
    const { producerId: id, ownerId: owner, route } = own;
    const config = { enabled: true, publisher: own.demo.publisher.id, owner, routes: [route] };
    const asked = (by: Client, token?: string) =>
      preview(by, 'principal', id, {
        ...{ id, kind: 'producer', config },
        ...(token === undefined ? {} : { token }),
      }).then(({ body }) => body.barred);
    expect(await asked(ruth, newToken())).toEqual([route]);
    expect(await asked(ruth)).toEqual([]);
    expect(await asked(oona, newToken())).toEqual([]);
  });
});
