import { Refusal } from '../errors.js';
import { parseStrictJson } from '../json/strict-body.js';
import { LONE_SURROGATE, isJsonObject } from '../json/value.js';
import type { JsonValue } from '../json/value.js';
import { isPage, readPage } from './evidence-page.js';
import { DOCUMENT_BOUNDS, DOCUMENT_LIMITS } from './context.js';
import { isRespelled } from './spelling.js';
import type { DocumentKind } from './verdict.js';

export type Reading =
  | {
      readonly value: JsonValue;
      readonly kind: DocumentKind;
      readonly respelled: boolean;
      /** The JSON was in a page of HTML. */
      readonly isPage: boolean;
    }
  | { readonly fault: string };

/** Reads an untrusted document and finds its kind by the members that only that kind has. */
export function readDocument(document: Uint8Array | string): Reading {
  if (document.length > DOCUMENT_LIMITS.bytes) return { fault: tooLarge };
  // Encoding would replace it by another character.
  if (typeof document === 'string' && LONE_SURROGATE.test(document)) {
    return { fault: 'It holds a surrogate without its partner.' };
  }
  const given = typeof document === 'string' ? new TextEncoder().encode(document) : document;
  if (given.length > DOCUMENT_LIMITS.bytes) return { fault: tooLarge };
  const page = isPage(given) ? readPage(given) : null;
  if (page !== null && 'fault' in page) return page;
  const bytes = page === null ? given : new TextEncoder().encode(page.json);
  let value: JsonValue;
  try {
    value = parseStrictJson(bytes, DOCUMENT_BOUNDS);
  } catch (error) {
    if (error instanceof Refusal) return { fault: error.detail ?? 'It is not strict JSON.' };
    throw error;
  }
  const kind = kindOf(value);
  if (kind === null || (page !== null && kind !== 'evidence')) {
    return {
      fault:
        'It is no evidence, audit export, signed record, anchor proof, ledger page, security log or webhook body.',
    };
  }
  return { value, kind, respelled: isRespelled(bytes), isPage: page !== null };
}

const tooLarge = `It is larger than ${DOCUMENT_LIMITS.bytes} bytes.`;

function kindOf(value: JsonValue): DocumentKind | null {
  if (Array.isArray(value)) return 'ledger range';
  if (!isJsonObject(value)) return null;
  const has = (...names: readonly string[]): boolean =>
    names.every((name) => Object.hasOwn(value, name));
  if (has('evidence', 'export', 'log')) return 'evidence';
  if (has('request', 'records', 'audit')) return 'export';
  if (has('security_log', 'entries', 'checkpoints')) return 'security log';
  if (has('checkpoint', 'acceptance', 'proof')) return 'anchor proof';
  if (!has('protected', 'payload', 'signature')) return null;
  const header = value['protected'];
  return isJsonObject(header) && header['type'] === 'WebhookDelivery' ? 'webhook' : 'record';
}
