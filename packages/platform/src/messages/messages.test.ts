import { generateKeyPairSync } from 'node:crypto';
import type { BusHeaders, BusRequest } from '../bus/types.js';
import { readCallerKey, readCallerKeys } from '../caller.js';
import type { Caller } from '../caller.js';
import type { Changing } from '../changing.js';
import type { Logger } from '../log.js';
import type { AskedService } from '../subjects.js';
import { newMessageKey, readMessageKeys } from './keys.js';
import { LOCAL_SEALER, LOCAL_VERIFIER } from './local.js';
import { createMessageSealer } from './sealer.js';
import type { Message } from './sealer.js';
import { createMessageVerifier } from './verifier.js';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const callerKey = readCallerKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
const callerKeys = readCallerKeys(publicKey.export({ type: 'spki', format: 'pem' }).toString());
const fixed = <T>(value: T): Changing<T> => ({ current: () => value, again: () => value });

const SERVICES = ['request', 'review', 'execution-authority', 'ledger', 'notifier'] as const;
const texts = new Map<AskedService, string>(SERVICES.map((name) => [name, newMessageKey()]));
const textOf = (service: AskedService): string => texts.get(service) as string;

let now: number;
const clock = { now: () => now };
const warn = jest.fn();
const log = { warn } as unknown as Logger;

beforeEach(() => {
  now = Date.UTC(2026, 10, 22);
  warn.mockClear();
});

const sealer = (compatible = false, requestKeys = textOf('request')) =>
  createMessageSealer({
    callerKey: fixed(callerKey),
    messageKeys: Object.fromEntries(
      SERVICES.map((service) => [
        service,
        fixed(readMessageKeys(service === 'request' ? requestKeys : textOf(service))),
      ]),
    ) as never,
    clock,
    compatible,
  });
const verifier = (service: AskedService, { keys = textOf(service), compatible = false } = {}) =>
  createMessageVerifier({
    service,
    callerKeys: fixed(callerKeys),
    messageKeys: fixed(readMessageKeys(keys)),
    clock,
    log,
    compatible,
  });

const olivia: Caller = {
  id: 'olivia',
  tenant: 'acme',
  kind: 'operator',
  credential: 'sha256:ab',
  session: false,
};
const message: Message = {
  subject: 'countersign.request.configure-principal',
  params: '{"id":"bot"}',
  body: '{"kind":"producer"}',
};
const request = (headers: Omit<BusHeaders, 'timeoutMs'>, { subject, body }: Message): BusRequest =>
  ({ subject, headers: { timeoutMs: 1, ...headers }, body, large: null }) as BusRequest;
const unauthenticated = expect.objectContaining({ code: 'unauthenticated' });

it('brings a caller and a message to its service', async () => {
  for (const one of [message, { ...message, key: 'k-1' }, { subject: message.subject, body: '' }]) {
    const sealed = await sealer().seal(olivia, one);
    expect((await verifier('request').verify(request(sealed, one))).caller).toEqual(olivia);
  }
});

it('brings the caller as it is within one process', async () => {
  for (const caller of [olivia, { ...olivia, id: 'zoë', credential: null }, null]) {
    const sealed = await LOCAL_SEALER.seal(caller, { ...message, key: 'k-1' });
    expect(sealed).toMatchObject({ params: message.params, key: 'k-1' });
    expect((await LOCAL_VERIFIER.verify(request(sealed, message))).caller).toEqual(caller);
    // Over any other bus it is not authenticated.
    await expect(verifier('request').verify(request(sealed, message))).rejects.toEqual(
      unauthenticated,
    );
  }
});

it('delivers a public read, without a caller', async () => {
  const asked = { subject: 'countersign.ledger.tree', params: '{}', body: '' };
  const sealed = await sealer().seal(null, asked);
  expect((await verifier('ledger').verify(request(sealed, asked))).caller).toBeNull();
});

it('refuses a message of which anything was changed', async () => {
  const sent = { ...message, key: 'k-1' };
  const sealed = await sealer().seal(olivia, sent);
  const other = await sealer().seal({ ...olivia, id: 'oscar' }, sent);
  const check = verifier('request');
  const changed: [string, Partial<Omit<BusHeaders, 'timeoutMs'>>, Partial<Message>][] = [
    ['another operation', {}, { subject: 'countersign.request.configure-route' }],
    ['another body', {}, { body: '{"kind":"human"}' }],
    ['no body', {}, { body: '' }],
    ['other parameters', { params: '{"id":"other"}' }, {}],
    ['no parameters', { params: undefined }, {}],
    ['another idempotency key', { key: 'k-2' }, {}],
    ['no idempotency key', { key: undefined }, {}],
    ['another caller', { token: other.token }, {}],
    ['no caller', { token: undefined }, {}],
    ['another name', { message: `${now.toString(36)}.other` }, {}],
    ['no code', { mac: undefined }, {}],
    ['a digest', { digest: 'x' }, {}],
    ['half a code', { mac: String(sealed.mac).slice(0, -8) }, {}],
    ['a longer code', { mac: `${sealed.mac}AAAA` }, {}],
  ];
  for (const [what, headers, rest] of changed) {
    const asked = check.verify(request({ ...sealed, ...headers }, { ...sent, ...rest }));
    expect([what, await asked.catch((error: unknown) => error)]).toEqual([what, unauthenticated]);
  }
  expect((await check.verify(request(sealed, sent))).caller).toEqual(olivia);
});

it('refuses a message sealed for another service, even with an exchanged subject', async () => {
  const metrics = { subject: 'countersign.ledger.metrics', body: '' };
  const sealed = await sealer().seal(olivia, metrics);
  await expect(verifier('request').verify(request(sealed, message))).rejects.toEqual(
    unauthenticated,
  );
  // Even one that knows the ledger's key and makes a code of it.
  const forged = await sealer(false, textOf('ledger')).seal(olivia, message);
  await expect(verifier('request').verify(request(forged, message))).rejects.toEqual(
    unauthenticated,
  );
});

it('refuses a token of another service in a message that is right', async () => {
  const { token } = await sealer().seal(olivia, {
    subject: 'countersign.ledger.metrics',
    body: '',
  });
  const inside = await sealer().seal(null, message);
  await expect(verifier('request').verify(request({ ...inside, token }, message))).rejects.toEqual(
    unauthenticated,
  );
});

it('refuses a message that comes again without an idempotency key, and one that is old', async () => {
  const check = verifier('request');
  const sealed = await sealer().seal(olivia, message);
  await check.verify(request(sealed, message));
  await expect(check.verify(request(sealed, message))).rejects.toEqual(unauthenticated);
  now += 59_000;
  await expect(check.verify(request(sealed, message))).rejects.toEqual(unauthenticated);

  const keyed = { ...message, key: 'k-1' };
  const again = await sealer().seal(olivia, keyed);
  for (const after of [0, 30_000, 29_000]) {
    now += after;
    expect((await verifier('request').verify(request(again, keyed))).caller).toEqual(olivia);
  }
  now += 2_000;
  await expect(check.verify(request(again, keyed))).rejects.toEqual(unauthenticated);
  now -= 61_000 + 31_000;
  await expect(check.verify(request(again, keyed))).rejects.toEqual(unauthenticated);
});

it('remembers names for as long as they count, and no longer', async () => {
  const check = verifier('request');
  const sealed = await sealer().seal(olivia, message);
  await check.verify(request(sealed, message));
  for (let passed = 0; passed < 55_000; passed += 5_000) {
    now += 5_000;
    await check.verify(request(await sealer().seal(olivia, message), message));
    await expect(check.verify(request(sealed, message))).rejects.toEqual(unauthenticated);
  }
});

it('takes the next key before the gateway uses it, and the last one after', async () => {
  const next = newMessageKey();
  const before = `${textOf('request')}\n${next} next\n`;
  const after = `${next}\n${textOf('request')} old\n`;
  for (const [sends, takes] of [
    [textOf('request'), before],
    [before, before],
    [after, before],
    [before, after],
    [after, after],
    [next, after],
  ] as const) {
    const sealed = await sealer(false, sends).seal(olivia, message);
    const check = verifier('request', { keys: takes });
    expect((await check.verify(request(sealed, message))).caller).toEqual(olivia);
  }
  const sealed = await sealer(false, textOf('request')).seal(olivia, message);
  const check = verifier('request', { keys: next });
  await expect(check.verify(request(sealed, message))).rejects.toEqual(unauthenticated);
});

it('says once why it refuses, and nothing of the message', async () => {
  const check = verifier('request');
  const sealed = await sealer().seal(olivia, message);
  for (let i = 0; i < 3; i += 1) {
    const altered = request(sealed, { ...message, body: 'private words' });
    await expect(check.verify(altered)).rejects.toEqual(unauthenticated);
  }
  expect(warn).toHaveBeenCalledTimes(1);
  expect(JSON.stringify(warn.mock.calls)).not.toMatch(/private words|eyJ/);
});

it('notices every change of a large body, at any seam of its slices', async () => {
  const check = verifier('request');
  const slice = 1024 * 1024;
  const large = `${'x'.repeat(slice - 1)}😀${'y'.repeat(slice)}`;
  const sent = { ...message, key: 'k', body: large };
  const sealed = await sealer().seal(olivia, sent);
  expect((await check.verify(request(sealed, sent))).caller).toEqual(olivia);
  for (const other of [large.replace('😀', '😁'), `${large}y`, large.slice(0, -1)]) {
    const altered = request(sealed, { ...sent, body: other });
    await expect(check.verify(altered)).rejects.toEqual(unauthenticated);
  }
});

it('leaves a large body where it is, and takes no other for it', async () => {
  const check = verifier('request');
  const sent = { ...message, key: 'k', body: Buffer.from('x'.repeat(100_000)) };
  const sealed = await sealer().seal(olivia, sent);
  const arriving = (bytes: Uint8Array, headers = sealed) => {
    const large = { bytes: bytes.length, take: async () => bytes };
    return check.verify({ ...request(headers, { ...message, body: '' }), large });
  };
  const { caller, large } = await arriving(sent.body);
  expect(caller).toEqual(olivia);
  expect(await large?.take()).toEqual(sent.body);
  const other = await arriving(Buffer.from('y'.repeat(100_000)));
  await expect(other.large?.take()).rejects.toEqual(unauthenticated);
  // One that was sent as a short text has no digest that a large one could have.
  const short = await sealer().seal(olivia, { ...message, body: '' });
  await expect(arriving(sent.body, short)).rejects.toEqual(unauthenticated);
  // The same bytes count as text where a subject takes no large bodies.
  const asText = request(sealed, { ...message, body: sent.body.toString() });
  expect((await check.verify(asText)).caller).toEqual(olivia);
});

it('accepts the previous version only while the setting says so', async () => {
  const sealed = await sealer(true).seal(olivia, message);
  const { caller } = sealed;
  expect((await sealer().seal(olivia, message)).caller).toBeUndefined();
  // A gateway of the previous version sends no more than this.
  const old = request({ caller, params: message.params }, message);
  await expect(verifier('request').verify(old)).rejects.toEqual(unauthenticated);
  const compatible = verifier('request', { compatible: true });
  expect((await compatible.verify(old)).caller).toEqual(olivia);
  expect((await compatible.verify(request({}, message))).caller).toBeNull();
  expect((await compatible.verify(request(sealed, message))).caller).toEqual(olivia);
  const altered = request(sealed, { ...message, body: '' });
  await expect(compatible.verify(altered)).rejects.toEqual(unauthenticated);
});

it('reads keys that are keys', () => {
  const key = newMessageKey();
  expect(readMessageKeys(`\n${key} next\n\n`)).toHaveLength(1);
  for (const text of ['', 'short', `${key}x`, Array(5).fill(key).join('\n'), `# ${key}`]) {
    expect(() => readMessageKeys(text)).toThrow(TypeError);
  }
});
