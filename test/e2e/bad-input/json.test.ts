import { randomUUID } from 'node:crypto';
import { canonicalText } from '@countersign/protocol';
import { codeOf } from '../../support/answers.js';
import type { Client } from '../../support/client.js';
import { operatorOf, producerOf } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { newRoute } from '../../support/own-route.js';
import type { OwnRoute } from '../../support/own-route.js';
import { reviewInput } from '../../support/requests.js';
import { BODIES, DEPTH, ENCODING, GRAMMAR, KEYS, NUMBERS } from './json-list.js';

let instance: Instance;
let own: OwnRoute;

beforeAll(async () => {
  instance = await startInstance();
  own = await newRoute(instance.demo, operatorOf(instance.demo), [instance.demo.people[1]!.id]);
});
afterAll(async () => {
  await instance?.stop();
});

/** A creation whose payload is sent as it stands. */
function bodyWith(payload: string | Uint8Array): Uint8Array {
  const [before = '', after = ''] = JSON.stringify(reviewInput(own.demo, { payload: '@' })).split(
    '"@"',
  );
  return Buffer.concat([Buffer.from(before), Buffer.from(payload), Buffer.from(after)]);
}

describe('a body of strict JSON (protocol §2.1)', () => {
  it.each([
    ...NUMBERS,
    ...GRAMMAR.filter(([, sent, read]) => read !== null || !isTrailing(sent)),
    ...ENCODING,
    ...KEYS,
    ...DEPTH,
  ])('has a value: %s', async (_what, sent, read) => {
    const answer = await own.producer.post('/v2/requests', {}, { raw: bodyWith(sent) });
    if (read === null) {
      expect(codeOf(answer)).toBe('400 invalid_json');
      return;
    }
    expect(answer.status).toBe(201);
    // Kept as it was read, to the byte.
    const { text } = await own.producer.get(`/v2/requests/${answer.body.request.id}/material`);
    expect(text).toContain(`"payload":${read},"response_schema"`);
    expect(canonicalText(JSON.parse(read))).toBe(read);
  });

  it.each([...BODIES, ...[...GRAMMAR, ...ENCODING, ...KEYS].filter(([, , read]) => read === null)])(
    'is refused as a whole: %s',
    async (_what, sent) => {
      const producer = producerOf(instance.demo);
      const cancel = await producer.post(`/v2/requests/${randomUUID()}/cancel`, {}, { raw: sent });
      expect(codeOf(cancel)).toBe('400 invalid_json');
    },
  );

  it.each<[string, () => Client, string]>([
    ['POST', () => producerOf(instance.demo), '/v2/requests'],
    ['POST', () => producerOf(instance.demo), `/v2/requests/${randomUUID()}/outcomes`],
    ['PUT', () => operatorOf(instance.demo), '/v2/admin/routes/r'],
    ['PUT', () => operatorOf(instance.demo), '/v2/admin/principals/p'],
  ])('is wanted everywhere: %s %s', async (method, client, path) => {
    const answer = await client().call(
      method,
      path,
      {},
      { raw: '{"a":1,"a":2}', key: randomUUID() },
    );
    expect(codeOf(answer)).toBe('400 invalid_json');
  });

  it('is refused without a word of the body', async () => {
    const canary = 'canary-in-json';
    for (const raw of [`{"${canary}":1,"${canary}":2}`, `["${canary}",]`, `${canary}`]) {
      const { text } = await own.producer.post('/v2/requests', {}, { raw });
      expect(text).not.toContain(canary);
    }
  });
});

/** Text behind a whole value cannot stand where a member follows. */
function isTrailing(sent: string | Uint8Array): boolean {
  return ['{} {}', '[]]', '{}\f', '{}\u200b', '\u00a0{}', '\v{}'].includes(String(sent));
}
