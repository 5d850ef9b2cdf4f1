import {
  DOCUMENT_BOUNDS,
  isJsonObject,
  isPage,
  parseStrictJson,
  readCheckpoint,
  readPage,
} from '@countersign/protocol';
import type { JsonValue } from '@countersign/protocol';
import { PlainError } from '../plain-error.js';
import { documentBytes } from '../read-file.js';
import type { Wanted } from './follow.js';

const DIGEST = /^sha256:[a-f0-9]{64}$/;

/**
 * The records that an `--include` names: `<sequence>=<digest>`, or the entries of a file of evidence or of an export.
 *
 * @throws PlainError
 */
export function wantedOf(text: string, origin: string): Wanted[] {
  const [, sequence = '', digest = ''] = /^(\d+)=(.*)$/.exec(text) ?? [];
  if (sequence === '') return entriesOf(text, origin);
  return [wanted(sequence, digest) ?? fail(text, 'not of the form 12=sha256:…')];
}

function entriesOf(file: string, origin: string): Wanted[] {
  const value = documentIn(file);
  const evidence = isJsonObject(value) ? value : fail(file, 'it is no evidence and no export');
  const log = evidence['log'];
  if (isJsonObject(log) && typeof log['checkpoint'] === 'string') {
    const of = readCheckpoint(log['checkpoint'])?.head.origin;
    if (of !== origin) fail(file, `it is evidence of another log than ${origin}`);
  }
  const exported = isJsonObject(evidence['export']) ? evidence['export'] : evidence;
  const entries = exported['audit'] ?? evidence['remains'];
  if (!Array.isArray(entries)) return fail(file, 'it is no evidence and no export');
  return entries.map((entry) => {
    const { sequence = null, record_digest: digest = null } = isJsonObject(entry) ? entry : {};
    return wanted(String(sequence), String(digest)) ?? fail(file, 'an entry in it is malformed');
  });
}

function wanted(sequence: string, digest: string): Wanted | null {
  const number = Number(sequence);
  const isEntry = /^[1-9]\d*$/.test(sequence) && Number.isSafeInteger(number);
  return isEntry && DIGEST.test(digest) ? { sequence: number, digest } : null;
}

function documentIn(file: string): JsonValue {
  const bytes = documentBytes(file, `--include ${file}`);
  const page = isPage(bytes) ? readPage(bytes) : null;
  if (page !== null && 'fault' in page) return fail(file, 'it is a page without evidence');
  try {
    return parseStrictJson(page === null ? bytes : Buffer.from(page.json), DOCUMENT_BOUNDS);
  } catch {
    return fail(file, 'it is not strict JSON');
  }
}

function fail(what: string, why: string): never {
  throw new PlainError(`--include ${what}: ${why}.`);
}
