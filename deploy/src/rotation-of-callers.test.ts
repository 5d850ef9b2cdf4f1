import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readCallerKey, readCallerKeys, readMessageKeys } from '@countersign/platform';
import { ensureKeys } from './keys.js';
import { callerRotation, messageKeyRotation } from './rotation-of-callers.js';

let keys: string;

beforeEach(() => {
  keys = mkdtempSync(join(tmpdir(), 'countersign-rotation-'));
  ensureKeys(keys);
});
afterEach(() => rmSync(keys, { recursive: true }));

const text = (name: string): string => readFileSync(join(keys, name), 'utf8');
const mode = (name: string): number => statSync(join(keys, name)).mode & 0o777;

describe('the key of caller tokens', () => {
  const used = () => readCallerKey(text('caller.pem')).id;
  const known = () => [...readCallerKeys(text('caller.pub.pem')).keys()];

  it('is known to services before the gateway uses it, and until it is retired', () => {
    const before = used();
    const next = callerRotation.prepare(keys);
    expect([used(), known()]).toEqual([before, [before, next]]);
    expect(callerRotation.prepare(keys)).toBe(next);
    expect(callerRotation.activate(keys)).toBe(next);
    expect([used(), known()]).toEqual([next, [before, next]]);
    expect(existsSync(join(keys, 'caller.next.pem'))).toBe(false);
    expect(mode('caller.pem')).toBe(0o600);
    // A start in between, which creates missing keys, changes nothing.
    ensureKeys(keys);
    expect(known()).toEqual([before, next]);
    expect(callerRotation.retire(keys)).toBe(next);
    expect([used(), known()]).toEqual([next, [next]]);
    expect(callerRotation.retire(keys)).toBe(next);
  });

  it('is replaced in that order only', () => {
    expect(() => callerRotation.activate(keys)).toThrow('first `countersign rotate prepare');
    callerRotation.prepare(keys);
    expect(() => callerRotation.retire(keys)).toThrow('first `countersign rotate activate');
    rmSync(join(keys, 'caller.pub.pem'));
    expect(() => callerRotation.activate(keys)).toThrow('no such key');
  });
});

describe('the keys that the gateway shares with a service', () => {
  const ids = () => readMessageKeys(text('review.message-keys')).map(({ id }) => id);

  it('are accepted before the gateway uses them, and until they are retired', () => {
    const [before] = ids();
    const next = messageKeyRotation.prepare(keys, 'review');
    expect(ids()).toEqual([before, next]);
    expect(messageKeyRotation.prepare(keys, 'review')).toBe(next);
    expect(messageKeyRotation.activate(keys, 'review')).toBe(next);
    expect(ids()).toEqual([next, before]);
    expect(mode('review.message-keys')).toBe(0o600);
    expect(messageKeyRotation.retire(keys, 'review')).toBe(next);
    expect(ids()).toEqual([next]);
  });

  it('are replaced in that order only', () => {
    expect(() => messageKeyRotation.activate(keys, 'review')).toThrow('rotate prepare review');
    messageKeyRotation.prepare(keys, 'review');
    expect(() => messageKeyRotation.retire(keys, 'review')).toThrow('rotate activate review');
    messageKeyRotation.activate(keys, 'review');
    // A completed step cannot be repeated: the last key would be in use again.
    expect(() => messageKeyRotation.activate(keys, 'review')).toThrow('rotate prepare review');
    expect(() => messageKeyRotation.prepare(keys, 'review')).toThrow('rotate retire review');
  });
});
