import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type pg from 'pg';
import { softAuthenticator } from '@countersign/protocol/testing/authenticator';
import { createOwnerPool, fsckWithin } from '@countersign/database';
import { challengeOf, loadTrust, thumbprintOf, valueDigest } from '@countersign/protocol';
import type { RoutePolicy } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import { personOf } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { until } from '../../support/requests.js';
import { connectTo, untilChained } from '../../support/truths.js';
import {
  APPROVAL_PROFILES,
  EXTENDED,
  Voters,
  newReview,
  policyWith,
  stagesOf,
} from '../../support/voting.js';
import { Holder, newDevice } from './support.js';
import type { Device } from './support.js';

// Votes that people sign with keys of their own (protocol §19.7). Olga operates; the others vote.

const OLGA = 'olga';
const MEMBERS = Array.from({ length: 17 }, (_, at) => `signer-${at}`);
const PROFILES = { ...APPROVAL_PROFILES, 'proto.human-key': '1-draft.1' };
const KEYS = {
  ...{ attestation: 'none', aaguids: [], device: 'any' },
  enrolment: 'countersigned',
} as const satisfies RoutePolicy['human_key'];

let instance: Instance;
let database: pg.Client;
let voters: Voters;
let olga: Holder;
let own: OwnRoute;
let taken = 0;

/** A person with a key that counts. */
interface Signer {
  readonly holder: Holder;
  readonly device: Device;
  readonly credential: string;
  readonly person: string;
}

const holderOf = async (id: string): Promise<Holder> => {
  const { demo, dataDirectory } = instance;
  return new Holder(id, await personOf(demo, dataDirectory, id), demo.origin, demo.tenant);
};

async function newSigner(device = newDevice()): Promise<Signer> {
  const holder = await holderOf(MEMBERS[taken++] as string);
  const { id: credential, person } = await holder.enrol(device);
  expect((await olga.countersign(credential)).status).toBe(200);
  return { holder, device, credential, person };
}

const policyOf = (changes: Partial<NonNullable<RoutePolicy['human_key']>> = {}): RoutePolicy => ({
  ...policyWith({ stages: stagesOf({ platform: 2 }), distinct_by: 'person' }),
  human_key: { ...KEYS, ...changes },
});

/** A review, and what a vote for an answer to it says. */
async function newAsked(by: Signer, on: OwnRoute = own) {
  const request = await newReview(on, { profiles: PROFILES });
  return { request, candidate: await voters.freeze(by.holder.id, request) };
}

let fay: Signer;
let pia: Signer;
let max: Signer;

beforeAll(async () => {
  instance = await startInstance({
    people: [OLGA, ...MEMBERS],
    env: { CAPABILITIES: 'proto.approval,proto.human-key' },
  });
  database = await connectTo(instance);
  voters = new Voters(instance, MEMBERS);
  for (const id of MEMBERS) {
    await voters.putHuman(id);
    await voters.putMembership(id, ['platform']);
  }
  await voters.putHuman(OLGA, { operator: true });
  olga = await holderOf(OLGA);
  [fay, pia, max] = [await newSigner(), await newSigner(newDevice('EdDSA')), await newSigner()];
  own = await voters.routeWith(policyOf());
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

const stateOf = async (credential: string) =>
  (await database.query('SELECT state, counter FROM credential_bound WHERE id = $1', [credential]))
    .rows[0];

describe('from the enrolment to a verified export', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-signed-votes-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const write = (name: string, value: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(value));
    return path;
  };
  const verify = (...args: string[]) =>
    new Promise<{ code: number; stdout: string }>((settle) => {
      const command = resolve(__dirname, '../../../deploy/countersign.mjs');
      execFile(process.execPath, [command, 'verify', ...args], (error, stdout) =>
        settle({ code: error === null ? 0 : Number(error.code), stdout }),
      );
    });

  it('two people decide by their keys, and strangers can prove whose they are', async () => {
    const asked = await newAsked(fay);
    const { request } = asked;
    const offer = await fay.holder.offerOf(request, asked.candidate);
    expect([offer.status, offer.body.options?.allowCredentials?.length]).toEqual([200, 1]);
    expect(offer.body.offer).toBe(valueDigest(offer.body.statement));
    expect(offer.body.options.challenge).toBe(challengeOf(offer.body.statement));
    expect(offer.body.statement).toMatchObject({
      ...{ reviewer: fay.holder.id, person: fay.person, credential: fay.credential },
      ...{ request_id: request, ...asked.candidate, decision: 'answer' },
    });
    const first = await fay.holder.vote(
      request,
      fay.holder.signed(asked.candidate, offer.body, fay.device),
    );
    expect([first.status, first.body.receipt]).toEqual([201, null]);
    expect(first.body.approval.payload.human).toMatchObject({
      credential: fay.credential,
      statement: offer.body.statement,
    });
    const second = await pia.holder.signs(request, asked.candidate, pia.device);
    expect([second.status, second.body.receipt?.payload.quorum.outcome]).toEqual([201, 'reached']);

    const { body: exported } = await until(
      () => own.producer.get(`/v2/requests/${request}/export`, EXTENDED),
      ({ body }) => body.anchor !== null,
    );
    const document = write('export.json', exported);
    const known = (signers: readonly Signer[]) =>
      signers.map(({ holder, person, device }) => ({
        ...{ principal: holder.id, person },
        keys: [thumbprintOf(device.key)],
      }));
    const common = [
      ...[document, '--trust', instance.demo.trust],
      ...['--store', join(instance.dataDirectory, 'anchor')],
    ];
    const pinned = await verify(...common, '--people', write('people.json', known([fay, pia])));
    expect([pinned.code, pinned.stdout]).toEqual([0, expect.stringMatching(/^HOLDS/)]);
    const [one, other] = known([fay, pia]);
    const changed = [one, { ...other, keys: [thumbprintOf(max.device.key)] }];
    const swapped = await verify(...common, '--people', write('changed.json', changed));
    expect([swapped.code, swapped.stdout]).toEqual([1, expect.stringMatching(/^FAILS/)]);
    expect(swapped.stdout).toContain('human_pinned');
  });

  it('two people sign what attention they had', async () => {
    const attention: RoutePolicy['attention'] = {
      ...{ tier: 'critical', read_seconds: 0, reading_rate: 0, cool_down_seconds: 0 },
      typed: [{ label: 'Text', pointer: '/text' }],
      ...{ open: [], per_hour: 0, per_day: 0 },
    };
    const attentive = await voters.routeWith({ ...policyOf(), attention });
    const { request, candidate } = await newAsked(fay, attentive);
    const typed = { ...candidate, typed: [{ pointer: '/text', value: 'hello' }] };
    expect(codeOf(await fay.holder.offerOf(request, typed))).toBe('409 attention_required');
    expect(codeOf(await fay.holder.vote(request, candidate))).toBe('403 human_key_required');
    for (const { holder, device } of [fay, pia]) {
      await holder.client.get(`/v2/requests/${request}/material`, EXTENDED);
      const { body: offer } = await holder.offerOf(request, typed);
      const answer = await holder.vote(request, holder.signed(candidate, offer, device));
      const { attention: said, human } = answer.body.approval.payload;
      expect([answer.status, said.tier, said.typed]).toEqual([201, 'critical', ['/text']]);
      expect(human.statement.attention).toBe(valueDigest(said));
    }
    const { body: exported } = await until(
      () => attentive.producer.get(`/v2/requests/${request}/export`, EXTENDED),
      ({ body }) => body.anchor !== null,
    );
    const verified = await verify(
      ...[write('attentive.json', exported), '--trust', instance.demo.trust],
      ...['--store', join(instance.dataDirectory, 'anchor')],
    );
    expect([verified.code, verified.stdout]).toEqual([0, expect.stringMatching(/^HOLDS/)]);
  });

  it('the end of a key comes into the export of what it signed before', async () => {
    const spare = await newSigner();
    const asked = await newAsked(fay);
    for (const each of [fay, spare]) {
      const { status } = await each.holder.signs(asked.request, asked.candidate, each.device);
      expect(status).toBe(201);
    }
    expect((await spare.holder.end(spare.credential)).status).toBe(200);
    const { body } = await own.producer.get(`/v2/requests/${asked.request}/export`, EXTENDED);
    const types = body.evidence.records.map((record: any) => record.protected.type).sort();
    expect(types).toEqual([
      ...['CredentialBound', 'CredentialBound', 'CredentialEnded'],
      ...['MembershipConfigured', 'MembershipConfigured'],
    ]);
  });

  it('the keys that vouched come into it, as they were then', async () => {
    const vouching = await newSigner();
    const device = newDevice();
    const { body: offer } = await vouching.holder.offer();
    const enrolment = vouching.holder.statementOf(offer, device);
    const by_own = vouching.holder.vouches(vouching.device, vouching.credential, vouching.person, {
      enrolment,
    });
    const spare = await vouching.holder.send(
      vouching.holder.enrolment(offer, device, { body: { by_own } }),
    );
    expect([spare.status, spare.body.state]).toEqual([201, 'active']);
    expect((await vouching.holder.end(vouching.credential)).status).toBe(200);
    const asked = await newAsked(fay);
    const vote = await vouching.holder.signs(asked.request, asked.candidate, device);
    expect(vote.status).toBe(201);
    const { body } = await own.producer.get(`/v2/requests/${asked.request}/export`, EXTENDED);
    const keys = body.evidence.records
      .filter((record: any) => record.protected.type !== 'MembershipConfigured')
      .map((record: any) => [record.protected.type, record.payload.credential]);
    expect(keys.sort()).toEqual(
      [
        ['CredentialBound', vouching.credential],
        ['CredentialBound', offer.credential],
        ['CredentialEnded', vouching.credential],
      ].sort(),
    );
  });
});

describe('a signature is refused', () => {
  let asked: Awaited<ReturnType<typeof newAsked>>;
  beforeAll(async () => {
    asked = await newAsked(fay);
  });

  it.each([
    ['of another site', { origin: 'https://other.example' }],
    ['for another relying party', { rpId: 'other.example' }],
    ['in a frame of another site', { members: { crossOrigin: true } }],
    ['in a frame, as the browser tells', { members: { topOrigin: 'https://other.example' } }],
    ['of another challenge', { challenge: challengeOf({ another: 'statement' }) }],
    ['of a registration', { type: 'webauthn.create' }],
    ['without the touch of its user', { flags: 0x04 }],
    ['without a verified user', { flags: 0x01 }],
    ['of a key that can be copied by now', { flags: 0x0d }],
    ['over authenticator data alone', { signs: (data: Buffer) => data }],
    [
      'over altered client data',
      { signs: (data: Buffer) => Buffer.concat([data, Buffer.alloc(32)]) },
    ],
    ['whose extensions are cut off', { flags: 0x85 }],
  ])('%s', async (_, wrong) => {
    const { request, candidate } = asked;
    const answer = await fay.holder.signs(request, candidate, fay.device, wrong);
    expect(codeOf(answer)).toBe('400 invalid_assertion');
    expect((await stateOf(fay.credential)).state).toBe('active');
  });

  it('of another device', async () => {
    const { request, candidate } = asked;
    const answer = await fay.holder.signs(request, candidate, newDevice());
    expect(codeOf(answer)).toBe('400 invalid_assertion');
  });

  it('by a key of another person', async () => {
    const { request, candidate } = asked;
    const { body: offer } = await fay.holder.offerOf(request, candidate);
    const body = fay.holder.signed(candidate, offer, pia.device);
    body.assertion.credential = pia.credential;
    expect(codeOf(await fay.holder.vote(request, body))).toBe('403 human_key_required');
  });

  it('for an offer of another person, another candidate, or that is unknown', async () => {
    const { request, candidate } = asked;
    const { body: offer } = await pia.holder.offerOf(request, candidate);
    const stolen = fay.holder.signed(candidate, offer, fay.device);
    stolen.assertion.credential = fay.credential;
    expect(codeOf(await fay.holder.vote(request, stolen))).toBe('409 offer_expired');
    const { body: mine } = await fay.holder.offerOf(request, candidate);
    const other = await voters.freeze(pia.holder.id, request, 'answer', 'other');
    const moved = fay.holder.signed(other, mine, fay.device);
    expect(codeOf(await fay.holder.vote(request, moved))).toBe('409 offer_expired');
    const unknown = { ...fay.holder.signed(candidate, mine, fay.device), offer: valueDigest({}) };
    expect(codeOf(await fay.holder.vote(request, unknown))).toBe('409 offer_expired');
  });

  it('for an offer that is older than 300 seconds', async () => {
    const { request, candidate } = asked;
    const { body: offer } = await fay.holder.offerOf(request, candidate);
    const aged = async (seconds: number) => {
      // As if it had been made then: its time is in the statement, which is the offer's name.
      const issued_at = new Date(
        Date.parse(offer.statement.issued_at) - seconds * 1000,
      ).toISOString();
      const statement = { ...offer.statement, issued_at };
      const digest = valueDigest(statement);
      await database.query(
        'INSERT INTO approval_offer SELECT tenant, $2, person, credential, nonce, $3 FROM approval_offer WHERE digest = $1',
        [offer.offer, digest, issued_at],
      );
      const options = { challenge: challengeOf(statement) };
      const older = { offer: digest, statement, options };
      return fay.holder.vote(request, fay.holder.signed(candidate, older, fay.device));
    };
    expect(codeOf(await aged(301))).toBe('409 offer_expired');
    expect((await aged(290)).status).toBe(201);
    await fay.holder.post(`/v2/requests/${request}/approvals/withdraw`, {});
  });

  it('where none is given, and where none is asked for', async () => {
    const { request, candidate } = asked;
    expect(codeOf(await fay.holder.vote(request, candidate))).toBe('403 human_key_required');
    const plain = await voters.routeWith(
      policyWith({ stages: stagesOf({ platform: 2 }), distinct_by: 'person' }),
    );
    const unsigned = await newReview(plain);
    const about = await voters.freeze(fay.holder.id, unsigned);
    expect(codeOf(await fay.holder.offerOf(unsigned, about))).toBe('404 not_found');
    const body = { ...about, offer: valueDigest({}) };
    expect(codeOf(await fay.holder.vote(unsigned, body))).toBe('400 invalid_ApprovalInput');
    expect((await fay.holder.vote(unsigned, about)).status).toBe(201);
  });

  it('and leaves no vote that counts behind', async () => {
    const { body } = await fay.holder.client.get(
      `/v2/requests/${asked.request}/approvals`,
      EXTENDED,
    );
    expect(body.votes.filter(({ state }: any) => state === 'live')).toEqual([]);
  });
});

it('a body that does not fit is refused', async () => {
  const { request, candidate } = await newAsked(fay);
  const more = { ...candidate, more: true };
  expect(codeOf(await fay.holder.offerOf(request, more))).toBe('400 invalid_OfferInput');
  expect(codeOf(await fay.holder.vote(request, more))).toBe('400 invalid_ApprovalInput');
});

describe('an offer', () => {
  it('is good for one vote, and a retry of that vote gets its answer', async () => {
    const { request, candidate } = await newAsked(fay);
    const { body: offer } = await fay.holder.offerOf(request, candidate);
    const body = fay.holder.signed(candidate, offer, fay.device);
    const key = 'the-same-key';
    const first = await fay.holder.vote(request, body, { key });
    expect(first.status).toBe(201);
    expect((await fay.holder.vote(request, body, { key })).text).toBe(first.text);
    const { holder } = fay;
    expect((await holder.post(`/v2/requests/${request}/approvals/withdraw`, {})).status).toBe(200);
    expect(codeOf(await holder.vote(request, body))).toBe('409 offer_expired');
    expect((await holder.signs(request, candidate, fay.device)).status).toBe(201);
  });

  it('gives one vote where it is used twice at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { request, candidate } = await newAsked(fay);
      const { body: offer } = await fay.holder.offerOf(request, candidate);
      const body = fay.holder.signed(candidate, offer, fay.device);
      const answers = await Promise.all([1, 2].map(() => fay.holder.vote(request, body)));
      const created = answers.filter(({ status }) => status === 201);
      expect(created.length).toBe(1);
      const { rows } = await database.query('SELECT 1 FROM approval WHERE request_id = $1', [
        request,
      ]);
      expect(rows.length).toBe(1);
    }
  });

  it('is refused as the vote would be', async () => {
    const { request, candidate } = await newAsked(fay);
    const none = { ...candidate, candidate_digest: valueDigest({}) };
    expect(codeOf(await fay.holder.offerOf(request, none))).toBe('409 candidate_changed');
    expect((await fay.holder.signs(request, candidate, fay.device)).status).toBe(201);
    expect(codeOf(await fay.holder.offerOf(request, candidate))).toBe('409 approval_exists');
  });

  it('is made for the key that is named, of the person alone', async () => {
    const { request, candidate } = await newAsked(fay);
    const named = { ...candidate, credential: pia.credential };
    expect(codeOf(await fay.holder.offerOf(request, named))).toBe('403 human_key_required');
    const keyless = await holderOf(MEMBERS[taken++] as string);
    expect(codeOf(await keyless.offerOf(request, candidate))).toBe('403 human_key_required');
    const { body } = await keyless.client.get(`/v2/requests/${request}/approvals`, EXTENDED);
    expect(body.mine).toMatchObject({ can: [], why_not: 'human_key_required' });
  });

  it('is made 60 times a minute for one person', async () => {
    const { request, candidate } = await newAsked(max);
    const answers = [];
    for (let at = 0; at < 70; at += 1) answers.push(await max.holder.offerOf(request, candidate));
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.length).toBeGreaterThan(0);
    expect(answers.length - refused.length).toBeGreaterThanOrEqual(60);
    expect(codeOf(refused[0]!)).toBe('429 rate_limited');
    expect((await fay.holder.offerOf(request, candidate)).status).toBe(200);
  });
});

describe('a counter', () => {
  it('that steps back suspends the key, and opens an incident', async () => {
    const signer = await newSigner();
    const { holder, device, credential } = signer;
    const first = await newAsked(signer);
    expect(
      (await holder.signs(first.request, first.candidate, device, { counter: 7 })).status,
    ).toBe(201);
    expect(await stateOf(credential)).toEqual({ state: 'active', counter: '7' });
    const second = await newAsked(signer);
    const copied = await holder.signs(second.request, second.candidate, device, { counter: 7 });
    expect(codeOf(copied)).toBe('400 invalid_assertion');
    expect((await stateOf(credential)).state).toBe('suspended');
    const { rows } = await database.query('SELECT 1 FROM incident WHERE code = $1', [
      'credential_cloned',
    ]);
    expect(rows.length).toBe(1);
    const later = await holder.signs(second.request, second.candidate, device, { counter: 9 });
    expect(codeOf(later)).toBe('403 human_key_required');
    // Another person vouches again.
    expect((await olga.countersign(credential)).status).toBe(200);
    const again = await holder.signs(second.request, second.candidate, device, { counter: 9 });
    expect(again.status).toBe(201);
  });

  it('gives one vote of two with the same one, on two requests at once', async () => {
    const signer = await newSigner();
    const { holder, device, credential } = signer;
    const asked = await Promise.all([newAsked(fay), newAsked(fay)]);
    const bodies = await Promise.all(
      asked.map(async ({ request, candidate }) => {
        const { body: offer } = await holder.offerOf(request, candidate);
        return holder.signed(candidate, offer, device, { counter: 5 });
      }),
    );
    const answers = await Promise.all(
      bodies.map((body, at) => holder.vote(asked[at]!.request, body)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400]);
    expect(await stateOf(credential)).toEqual({ state: 'suspended', counter: '5' });
  });

  it('stays where it is when a bad signature tells another one', async () => {
    const signer = await newSigner();
    const { holder, device, credential } = signer;
    const { request, candidate } = await newAsked(signer);
    const wrong = { counter: 9, flags: 0x01 };
    expect(codeOf(await holder.signs(request, candidate, device, wrong))).toBe(
      '400 invalid_assertion',
    );
    expect(await stateOf(credential)).toEqual({ state: 'active', counter: '0' });
  });
});

describe('a key that ended', () => {
  it('as lost takes its live vote along; the next vote needs another one', async () => {
    const signer = await newSigner();
    const { holder, device, credential } = signer;
    const { request, candidate } = await newAsked(fay);
    expect((await holder.signs(request, candidate, device)).status).toBe(201);
    const { body: offer } = await pia.holder.offerOf(request, candidate);
    expect((await holder.end(credential, { reason: 'lost' })).status).toBe(200);
    const { body } = await holder.client.get(`/v2/requests/${request}/approvals`, EXTENDED);
    expect(body.votes).toMatchObject([{ state: 'ended', ended_reason: 'credential_ended' }]);
    expect(codeOf(await holder.signs(request, candidate, device))).toBe('403 human_key_required');
    const other = pia.holder.signed(candidate, offer, pia.device);
    expect((await pia.holder.vote(request, other)).status).toBe(201);
  });

  it('signs nothing any more for an offer that was made before', async () => {
    const { holder, device, credential } = await newSigner();
    const { request, candidate } = await newAsked(fay);
    const { body: offer } = await holder.offerOf(request, candidate);
    expect((await holder.end(credential)).status).toBe(200);
    const late = holder.signed(candidate, offer, device);
    expect(codeOf(await holder.vote(request, late))).toBe('403 human_key_required');
  });
});

it('a key that rests on one in other hands signs nothing', async () => {
  const { holder, device: first, credential, person } = await newSigner();
  const spare = newDevice();
  const { body: offer } = await holder.offer();
  const enrolment = holder.statementOf(offer, spare);
  const by_own = holder.vouches(first, credential, person, { enrolment });
  const added = await holder.send(holder.enrolment(offer, spare, { body: { by_own } }));
  expect(added.body.state).toBe('active');
  const { request, candidate } = await newAsked(fay);
  expect((await holder.offerOf(request, candidate)).body.statement.credential).toBe(
    offer.credential,
  );
  const ended = { reason: 'compromised', compromised_since: offer.issued_at };
  expect((await holder.end(credential, ended)).status).toBe(200);
  expect(codeOf(await holder.offerOf(request, candidate))).toBe('403 human_key_required');
});

describe('a policy that asks for keys', () => {
  const put = async (policy: RoutePolicy) => {
    const path = `/v2/admin/routes/${own.route}/policy`;
    return voters.operator.put(path, { policy }, EXTENDED);
  };

  it.each([
    ['that are attested', { attestation: 'listed' }],
    ['that nobody vouches for', { enrolment: 'self' }],
  ] as const)('%s is refused: this release has none', async (_, changes) => {
    expect(codeOf(await put(policyOf(changes)))).toBe('400 invalid_policy');
  });

  it('takes no request that does not select the profile, nor one that selects it without need', async () => {
    await expect(newReview(own)).rejects.toThrow('route_profile_required');
    const plain = await voters.routeWith(policyWith({ stages: stagesOf({ platform: 2 }) }));
    await expect(newReview(plain, { profiles: PROFILES })).rejects.toThrow('unsupported_profile');
  });

  it('takes no request that too few people could sign', async () => {
    const few = await voters.routeWith({
      ...policyOf(),
      quorum: policyWith({ stages: stagesOf({ platform: 10 }), distinct_by: 'person' }).quorum,
    });
    await expect(newReview(few, { profiles: PROFILES })).rejects.toThrow('quorum_unsatisfiable');
  });

  it('for keys that cannot be copied takes no other one', async () => {
    const synced: Device = newDevice();
    const holder = await holderOf(MEMBERS[taken++] as string);
    const flags = 0x1d;
    const { id } = await holder.enrol(synced, {
      making: { flags: 0x5d },
      signing: { flags },
    });
    expect((await olga.countersign(id)).status).toBe(200);
    const bound = await voters.routeWith(policyOf({ device: 'device_bound' }));
    const { request, candidate } = await newAsked(fay, bound);
    expect(codeOf(await holder.offerOf(request, candidate))).toBe('403 human_key_required');
    expect((await fay.holder.signs(request, candidate, fay.device)).status).toBe(201);
    const any = await newAsked(fay);
    expect((await holder.signs(any.request, any.candidate, synced, { flags })).status).toBe(201);
  });
});

it('`countersign fsck` counts signed votes again, and misses the record of a key', async () => {
  await untilChained(database);
  const stores = readFileSync(join(instance.dataDirectory, 'stores.json'), 'utf8');
  const url = JSON.parse(stores).urls.DATABASE_URL as string;
  const pool = createOwnerPool({ url, application: 'fsck test', max: 1 });
  const client = await pool.connect();
  const trust = loadTrust(JSON.parse(readFileSync(instance.demo.trust, 'utf8')));
  const faults = async (sql: string) => {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await client.query(sql);
    const { findings } = await fsckWithin(client, { trust, copies: null });
    await client.query('ROLLBACK');
    return Object.keys(findings.result().faults);
  };
  expect(await faults('SELECT 1')).toEqual([]);
  const without = `DELETE FROM request_evidence WHERE type = 'CredentialBound'`;
  expect(await faults(without)).toEqual(['vote_evidence']);
  client.release();
  await pool.end();
});

it('what the service keeps of a key counts for nothing without its record', async () => {
  const signer = await newSigner();
  const stranger = softAuthenticator('a stranger', 'ES256');
  const { request, candidate } = await newAsked(fay);
  await database.query('UPDATE credential_bound SET public_key = $1 WHERE id = $2', [
    JSON.stringify(stranger.key),
    signer.credential,
  ]);
  const forged = await signer.holder.signs(request, candidate, { ...signer.device, ...stranger });
  expect(codeOf(forged)).toBe('400 invalid_assertion');
  await database.query(`UPDATE credential_bound SET bound = replace(bound, $1, $2) WHERE id = $3`, [
    (signer.device.key as any).x,
    (stranger.key as any).x,
    signer.credential,
  ]);
  expect(codeOf(await signer.holder.offerOf(request, candidate))).toBe('503 identity_uncertain');
});
