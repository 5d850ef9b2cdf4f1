import { ERROR_CODES, Refusal, statusesOf } from '@countersign/protocol';
import fc from 'fast-check';
import { inTrace, newTrace, traceparentOf } from '../telemetry.js';
import {
  INLINE_BYTES,
  checkSubject,
  decodeHeaders,
  decodeReply,
  encodeFailure,
  encodeHeaders,
  encodeReply,
  isLarge,
} from './envelope.js';
import { busFaultOf, busRefusal } from './fault.js';

const name = fc
  .stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,20}$/)
  .filter((it) => it !== 'timeoutMs' && it !== 'parcel');
const text = fc.string({ unit: 'binary' });
/** The values that a NATS header line can carry: its client trims values and refuses line ends. */
const LINE = /^$|^[\x21-\x7e]$|^[\x21-\x7e][\x20-\x7e]*[\x21-\x7e]$/;

it('brings every header value through lines of printable ASCII', () => {
  fc.assert(
    fc.property(fc.dictionary(name, text), fc.nat(), (given, timeoutMs) => {
      const lines = encodeHeaders({ ...given, timeoutMs });
      for (const [, value] of lines) expect(value).toMatch(LINE);
      expect(decodeHeaders(lines)).toEqual({ ...given, timeoutMs });
    }),
  );
});

it('brings replies through', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 200, max: 299 }),
      text,
      fc.dictionary(name, text, { minKeys: 1 }),
      (status, body, headers) => {
        const envelope = encodeReply({ status, body, headers });
        for (const [, value] of envelope.headers) expect(value).toMatch(LINE);
        expect(decodeReply('s', envelope)).toEqual({ status, body, headers: { ...headers } });
      },
    ),
  );
});

it('leaves out undefined headers and adds the current trace', () => {
  expect(encodeHeaders({ timeoutMs: 5, key: undefined })).toEqual([['timeoutMs', '5']]);
  const trace = newTrace();
  const lines = inTrace(trace, () => encodeHeaders({ timeoutMs: 5 }));
  expect(lines).toContainEqual(['traceparent', traceparentOf(trace)]);
  const given = inTrace(trace, () => encodeHeaders({ timeoutMs: 5, traceparent: 'mine' }));
  expect(given.filter(([header]) => header === 'traceparent')).toEqual([['traceparent', 'mine']]);
});

it('refuses names that mean something else', () => {
  for (const bad of ['', 'a b', 'a:b', 'ä', 'parcel', '1a']) {
    expect(() => encodeHeaders({ timeoutMs: 1, [bad]: 'x' })).toThrow(TypeError);
  }
});

it('counts a missing or unreadable time as none', () => {
  expect(decodeHeaders([]).timeoutMs).toBe(0);
  expect(decodeHeaders([['timeoutMs', 'soon']]).timeoutMs).toBe(0);
});

it('brings every code through with each of its statuses', () => {
  for (const code of ERROR_CODES) {
    for (const status of statusesOf(code)) {
      const sent = new Refusal(code, { status, retryAfter: 3, detail: 'Ü %' });
      const got = thrownBy(() => decodeReply('s', encodeFailure(sent)));
      expect(got).toBeInstanceOf(Refusal);
      expect(got).toMatchObject({ code, status, retryAfter: 3, detail: 'Ü %' });
    }
  }
});

it('keeps which fault of the bus it was', () => {
  const got = thrownBy(() => decodeReply('s', encodeFailure(busRefusal('overloaded', 's'))));
  expect(busFaultOf(got)).toBe('overloaded');
});

it('says nothing of an error that is no refusal', () => {
  const envelope = encodeFailure(new Error('private words'));
  expect(JSON.stringify(envelope)).not.toContain('private');
  expect(thrownBy(() => decodeReply('s', envelope))).toMatchObject({ code: 'service_unavailable' });
});

it('makes an unknown code, a wrong status or none unavailable', () => {
  for (const headers of [
    [
      ['error', 'code_of_tomorrow'],
      ['status', '409'],
    ],
    [
      ['error', 'not_found'],
      ['status', '200'],
    ],
    [['error', 'not_found']],
    [['status', 'x']],
    [],
  ] as [string, string][][]) {
    const got = thrownBy(() => decodeReply('s', { headers, body: '' }));
    expect(got).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(busFaultOf(got)).toBe('handler_failed');
  }
});

it('counts bytes, not characters', () => {
  expect(isLarge('x'.repeat(INLINE_BYTES))).toBe(false);
  expect(isLarge('x'.repeat(INLINE_BYTES + 1))).toBe(true);
  expect(isLarge('é'.repeat(INLINE_BYTES / 2))).toBe(false);
  expect(isLarge(`${'é'.repeat(INLINE_BYTES / 2)}x`)).toBe(true);
});

it('knows subjects', () => {
  for (const good of ['a', 'countersign.review.confirm', 'countersign.execution-authority.claim']) {
    checkSubject(good);
    checkSubject(good);
  }
  for (const bad of ['', '.', 'a.', '.a', 'a..b', 'a.*', 'a.>', 'a b', '$SYS.x']) {
    expect(() => checkSubject(bad)).toThrow(TypeError);
  }
});

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}
