import type pg from 'pg';
import { valueDigest } from '@countersign/protocol';
import type { RoutePolicy } from '@countersign/protocol';
import { codeOf, tally } from '../../support/answers.js';
import { personOf } from '../../support/client.js';
import type { Answer, Client } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { reviewInput } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';
import {
  APPROVAL_PROFILES,
  EXTENDED,
  Voters,
  newReview,
  policyWith,
  stagesOf,
} from '../../support/voting.js';

// How a yes is given where the policy asks for attention (protocol §18.12). Two of platform decide; `ann` answers.

const [ANN, BEN, CLEO, DORA, DORA_TOO] = ['ann', 'ben', 'cleo', 'dora', 'dora-too'] as const;
const PEOPLE = [ANN, BEN, CLEO, DORA, DORA_TOO];
const SECRET = 'Zoë & Co';
/** 550 seconds at 10 characters a second. */
const DOCUMENT = 'Read this. '.repeat(500);
const PAYLOAD = { to: ` ${SECRET} `, amount: 1, express: true, list: [] };

type Attention = NonNullable<RoutePolicy['attention']>;
const NOTHING: Attention = {
  ...{ tier: 'high', read_seconds: 0, reading_rate: 0, cool_down_seconds: 0 },
  ...{ typed: [], open: [], per_hour: 0, per_day: 0 },
};
const TYPED: Attention['typed'] = [
  { label: 'Payee', pointer: '/to' },
  { label: 'Amount', pointer: '/amount' },
  { label: 'Express', pointer: '/express' },
];
const typing = (to: string, amount: string, express = 'true') => ({
  typed: [
    { pointer: '/express', value: express },
    { pointer: '/amount', value: amount },
    { pointer: '/to', value: to },
  ],
});
const policyOf = (changes: Partial<Attention> = {}): RoutePolicy => ({
  ...policyWith({ stages: stagesOf({ platform: 2 }), distinct_by: 'person' }),
  attention: { ...NOTHING, ...changes },
});

let instance: Instance;
let database: pg.Client;
let voters: Voters;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) {
    await voters.putHuman(id);
    await voters.putMembership(id, ['platform'], {
      same_person_as: id === DORA_TOO ? DORA : null,
    });
  }
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

interface Asked {
  readonly own: OwnRoute;
  readonly request: string;
  readonly yes: { readonly candidate_id: string; readonly candidate_digest: string };
}

async function asked(own: OwnRoute): Promise<Asked> {
  const request = await newReview(own, { payload: PAYLOAD, review_document: DOCUMENT });
  return { own, request, yes: await voters.freeze(ANN, request) };
}

const askedOf = async (changes: Partial<Attention> = {}) =>
  asked(await voters.routeWith(policyOf(changes)));

const read = async (id: string, { request }: Asked, by?: Client) => {
  const client = by ?? (await voters.by(id));
  const { status, text } = await client.get(`/v2/requests/${request}/material`, EXTENDED);
  if (status !== 200) throw new Error(`not read: ${text}`);
};

async function offerOf(
  id: string,
  { request, yes }: Asked,
  more: object = {},
  by?: Client,
): Promise<Answer> {
  const client = by ?? (await voters.by(id));
  return client.post(`/v2/requests/${request}/approvals/offer`, { ...yes, ...more }, EXTENDED);
}

const vote = (id: string, { request, yes }: Asked, offer?: string) =>
  voters.vote(id, request, { ...yes, ...(offer !== undefined && { offer }) });

/** Reads, asks for an offer and votes. */
async function approves(id: string, of: Asked): Promise<Answer> {
  await read(id, of);
  const offer = await offerOf(id, of);
  expect(codeOf(offer)).toBe(200);
  return vote(id, of, offer.body.offer);
}

/** Makes readings of a request older. */
const age = ({ request }: Asked, seconds: number, what = '%') =>
  database.query(
    `UPDATE reading SET first_at = first_at - $2 * interval '1 second' WHERE request_id = $1 AND what LIKE $3`,
    [request, seconds, what],
  );

const retryAfter = ({ headers }: Answer) => Number(headers.get('retry-after'));

/** A no of that person: it needs nothing, and an offer for it is there as well. */
async function expectNo(id: string, { request }: Asked) {
  const no = await voters.freeze(id, request, 'reject', 'no');
  const client = await voters.by(id);
  const offer = await client.post(`/v2/requests/${request}/approvals/offer`, no, EXTENDED);
  expect([codeOf(offer), offer.body.statement.attention]).toEqual([200, null]);
  const answer = await voters.vote(id, request, no);
  expect([codeOf(answer), answer.body.approval.payload.attention]).toEqual([201, null]);
}

describe('a yes waits, and a no does not,', () => {
  it('until its giver has read the material of this request', async () => {
    const of = await askedOf();
    await read(BEN, await asked(of.own));
    const refused = await offerOf(BEN, of);
    expect([codeOf(refused), refused.headers.get('retry-after')]).toEqual([
      '409 attention_required',
      null,
    ]);
    expect(codeOf(await vote(BEN, of))).toBe('409 offer_expired');
    expect(codeOf(await vote(BEN, of, valueDigest({})))).toBe('409 offer_expired');
    await expectNo(BEN, of);
  });

  it.each([
    ['the reading time is over', { read_seconds: 600 }, 'material'],
    ['the time for its length is over', { reading_rate: 10 as const }, 'material'],
    ['the answer has cooled down', { cool_down_seconds: 600 }, 'sha256:%'],
  ])('until %s', async (_, changes, what) => {
    const of = await askedOf(changes);
    await read(BEN, of);
    const refused = await offerOf(BEN, of);
    expect(codeOf(refused)).toBe('409 attention_required');
    const left = retryAfter(refused);
    expect(left).toBeGreaterThan(0);
    expect(codeOf(await vote(BEN, of))).toBe('409 offer_expired');
    await age(of, left, what);
    expect(codeOf(await offerOf(BEN, of))).toBe(200);
    await expectNo(BEN, of);
  });

  it('until all values of the policy are typed', async () => {
    const of = await askedOf({ typed: TYPED });
    await read(BEN, of);
    const some = { typed: typing(SECRET, '1').typed.slice(1) };
    for (const typed of [{}, some, typing(SECRET, '2'), typing('Zoe & Co', '1')]) {
      const refused = await offerOf(BEN, of, typed);
      expect([codeOf(refused), refused.text.includes('& Co')]).toEqual([
        '409 attention_required',
        false,
      ]);
    }
    expect(codeOf(await vote(BEN, of))).toBe('409 offer_expired');
    await expectNo(BEN, of);
  });

  it('and for ten minutes behind five wrong values', async () => {
    const of = await askedOf({ typed: TYPED });
    await read(CLEO, of);
    for (let wrong = 0; wrong < 5; wrong += 1) {
      expect(codeOf(await offerOf(CLEO, of, typing(SECRET, '2')))).toBe('409 attention_required');
    }
    const refused = await offerOf(CLEO, of, typing(SECRET, '1'));
    expect([codeOf(refused), retryAfter(refused)]).toEqual(['429 rate_limited', 120]);
    // Several calls at once are no way around it.
    const guesses = Array.from({ length: 4 }, () => offerOf(CLEO, of, typing(SECRET, '1')));
    expect(tally(await Promise.all(guesses))).toEqual({ '429 rate_limited': 4 });
    await expectNo(CLEO, of);
  });
});

describe('a yes with attention', () => {
  it.each([
    ['1', SECRET],
    ['1.0', ` ${SECRET}`],
    ['1e0', 'Zoe\u0308 & Co\n'],
  ])('says what was typed by its pointers alone: %s', async (amount, to) => {
    const of = await askedOf({ typed: TYPED });
    await read(DORA, of);
    const client = { document_end: true, payload_opened: false };
    const { status, body } = await offerOf(DORA, of, { ...typing(to, amount), client });
    expect([status, body.options]).toEqual([200, null]);
    const answer = await vote(DORA, of, body.offer);
    const { attention, human } = answer.body.approval.payload;
    expect([answer.status, human, attention]).toEqual([
      201,
      null,
      {
        tier: 'high',
        material_first_read_at: expect.any(String),
        candidate_first_read_at: expect.any(String),
        read_ms: expect.any(Number),
        typed: TYPED.map(({ pointer }) => pointer),
        client,
      },
    ]);
    expect(body.statement).toMatchObject({
      attention: valueDigest(attention),
      credential: null,
      issued_at: new Date(
        Date.parse(attention.material_first_read_at) + attention.read_ms,
      ).toISOString(),
    });
    expect(answer.text).not.toContain('& Co');
    const kept = await database.query(`SELECT FROM approval_offer WHERE attention LIKE '%& Co%'`);
    expect(kept.rowCount).toBe(0);
    // Used once.
    expect(codeOf(await vote(DORA, of, body.offer))).toBe('409 approval_exists');
  });

  it('is for the candidate that was offered', async () => {
    const of = await askedOf({ cool_down_seconds: 600 });
    await read(BEN, of);
    expect(codeOf(await offerOf(BEN, of))).toBe('409 attention_required');
    await age(of, 600);
    const { body: offer } = await offerOf(BEN, of);
    const next: Asked = { ...of, yes: await voters.freeze(ANN, of.request, 'answer', 'another') };
    expect(codeOf(await vote(BEN, of, offer.offer))).toBe('409 candidate_changed');
    expect(codeOf(await vote(BEN, next, offer.offer))).toBe('409 offer_expired');
    // The other answer cools down anew.
    const refused = await offerOf(BEN, next);
    expect(codeOf(refused)).toBe('409 attention_required');
    expect(retryAfter(refused)).toBeGreaterThan(590);
  });

  it('takes the offer of its own giver, with no signature beside it', async () => {
    const of = await askedOf();
    await Promise.all([read(BEN, of), read(CLEO, of)]);
    const { body: ofBen } = await offerOf(BEN, of);
    expect(codeOf(await vote(CLEO, of, ofBen.offer))).toBe('409 offer_expired');
    const assertion = {
      credential: of.yes.candidate_id,
      ...{ client_data_json: '', authenticator_data: '', signature: '' },
    };
    const signed = await voters.vote(BEN, of.request, {
      ...{ ...of.yes, offer: ofBen.offer, assertion },
    });
    expect(codeOf(signed)).toBe('400 invalid_ApprovalInput');
    await database.query(
      `UPDATE approval_offer SET issued_at = issued_at - interval '301 seconds' WHERE digest = $1`,
      [ofBen.offer],
    );
    expect(codeOf(await vote(BEN, of, ofBen.offer))).toBe('409 offer_expired');
  });

  it('decides as every other one', async () => {
    const of = await askedOf();
    expect(codeOf(await approves(BEN, of))).toBe(201);
    const last = await approves(CLEO, of);
    expect(last.body.receipt?.payload.quorum.outcome).toBe('reached');
  });
});

describe('a reading', () => {
  it('is shared by the sessions of a person', async () => {
    const of = await askedOf({ read_seconds: 600 });
    const { demo, dataDirectory } = instance;
    const other = await personOf(demo, dataDirectory, BEN);
    await read(BEN, of, other);
    await age(of, 600);
    await read(BEN, of);
    expect(codeOf(await offerOf(BEN, of))).toBe(200);
    expect(codeOf(await offerOf(BEN, of, {}, other))).toBe(200);
  });

  it('counts for every principal of the same person, and for no other person', async () => {
    const of = await askedOf();
    await read(DORA_TOO, of);
    expect(codeOf(await offerOf(DORA, of))).toBe(200);
    expect(codeOf(await offerOf(CLEO, of))).toBe('409 attention_required');
  });

  it('begins with what the board shows of the answer', async () => {
    const of = await askedOf({ cool_down_seconds: 600 });
    await read(BEN, of);
    const client = await voters.by(BEN);
    await client.get(`/v2/requests/${of.request}/approvals`, EXTENDED);
    await age(of, 600);
    expect(codeOf(await offerOf(BEN, of))).toBe(200);
  });

  it('is noted of such requests alone, and goes with the material', async () => {
    const readings = async (request: string) =>
      (await database.query('SELECT what FROM reading WHERE request_id = $1', [request])).rowCount;
    const plain = await voters.routeWith({ quorum: policyOf().quorum });
    const ordinary = await newReview(plain);
    await read(BEN, { own: plain, request: ordinary, yes: {} as never });
    expect(await readings(ordinary)).toBe(0);
    const of = await askedOf();
    await read(BEN, of);
    await offerOf(BEN, of);
    expect(await readings(of.request)).toBe(2);
    const discarded = await of.own.producer.post(
      `/v2/requests/${of.request}/discard`,
      undefined,
      EXTENDED,
    );
    expect(discarded.status).toBe(200);
    expect(await readings(of.request)).toBe(0);
  });
});

describe('a limit', () => {
  it.each([
    ['an hour', { per_hour: 2 }, 1800],
    ['a day', { per_day: 2 }, 43_200],
  ])(
    'of %s is exact for votes at once, is of the person and the route, and stops no one from saying no',
    async (_, limit, wait) => {
      const own = await voters.routeWith(policyOf(limit));
      const all: { of: Asked; offer: string }[] = [];
      for (let at = 0; at < 5; at += 1) {
        const of = await asked(own);
        // Both principals are one person.
        await read(DORA, of);
        all.push({ of, offer: (await offerOf(DORA, of)).body.offer });
      }
      const answers = await Promise.all(all.map(({ of, offer }) => vote(DORA, of, offer)));
      expect(tally(answers)).toEqual({ '201': 2, '429 reviewer_rate': 3 });
      const at = answers.findIndex(({ status }) => status === 429);
      expect(retryAfter(answers[at] as Answer)).toBe(wait);
      const { of, offer } = all[at] as (typeof all)[number];
      expect(codeOf(await vote(DORA, of, offer))).toBe('429 reviewer_rate');
      const too = await offerOf(DORA_TOO, of);
      expect(codeOf(too)).toBe(200);
      expect(codeOf(await vote(DORA_TOO, of, too.body.offer))).toBe('429 reviewer_rate');
      await expectNo(DORA, of);
      expect(codeOf(await approves(BEN, all[at === 0 ? 1 : 0]!.of))).toBe(201);
      const elsewhere = await asked(await voters.routeWith(policyOf(limit)));
      expect(codeOf(await approves(DORA, elsewhere))).toBe(201);
    },
  );
});

describe('a request', () => {
  it.each([
    ['lacks the value', {}],
    ['has null there', { amount: null }],
    ['has an object there', { amount: {} }],
    ['has a list there', { amount: [1] }],
    ['has an empty text there', { amount: ' ' }],
  ])('is not taken whose payload %s that has to be typed', async (_, payload) => {
    const typed = [{ label: 'Amount', pointer: '/amount' }];
    const own = await voters.routeWith(policyOf({ typed }));
    const input = reviewInput(own.demo, { profiles: APPROVAL_PROFILES, payload });
    const answer = await own.producer.post('/v2/requests', input, EXTENDED);
    expect(codeOf(answer)).toBe('400 acknowledgement_unresolved');
  });

  it('has its tier in the list of what a person decides', async () => {
    const of = await askedOf({ tier: 'critical' });
    const { body } = await (await voters.by(BEN)).get('/v2/approvals', EXTENDED);
    const item = body.items.find(({ request_id }: any) => request_id === of.request);
    expect(item?.tier).toBe('critical');
  });
});
