import { canonicalText, validate } from '@countersign/protocol';
import type { SignedRecord } from '@countersign/protocol';

/** A canonical text as the record that it is; null when it is none. */
export function recordIn(text: string): SignedRecord | null {
  try {
    const value: unknown = JSON.parse(text);
    return validate('SignedRecord', value) && canonicalText(value) === text ? value : null;
  } catch {
    return null;
  }
}
