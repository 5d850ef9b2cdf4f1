import { canonicalText } from '@countersign/protocol';
import type { JsonValue, SignedRecord } from '@countersign/protocol';
import { signer } from './keys.js';
import type { KeyName } from './keys.js';

/** A deep copy to be changed. */
export function copyOf<Value>(value: Value): Value {
  return structuredClone(value);
}

export interface Forgery {
  readonly protected?: Record<string, JsonValue>;
  readonly payload?: Record<string, JsonValue>;
  /** Whose key signs it, and under which name; the record's own unless given. */
  readonly key?: KeyName;
  readonly keyId?: string;
}

/** The record with some members changed, and a signature that fits. */
export function forged(
  { protected: header, payload }: SignedRecord,
  { key = 'k-2026-01', keyId = key, ...changes }: Forgery,
): SignedRecord {
  const changed = {
    payload: { ...(payload as Record<string, JsonValue>), ...changes.payload },
    protected: { ...header, key_id: keyId, ...changes.protected },
  };
  const bytes = Buffer.from(canonicalText(changed));
  return { ...changed, signature: signer(key).sign(bytes).toString('base64url') } as SignedRecord;
}

/** The text with one occurrence of a part replaced; it has to be there. */
export function replaced(text: string, part: string, by: string): string {
  if (!text.includes(part)) throw new TypeError(`there is no ${part}`);
  return text.replace(part, () => by);
}
