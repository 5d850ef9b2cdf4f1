import { replaced } from '../../evidence/forging.js';
import { CONTRACT_RECEIPT } from './contract.js';
import { refused } from '../vector.js';
import type { Vector } from '../vector.js';

/** Texts that are no JSON for this protocol (protocol §2.1), or none of its documents. */
export function unreadable(): Vector[] {
  const failing = (name: string, what: string, document: string | Uint8Array): Vector =>
    refused(`unreadable-${name}`, what, document, { code: 'document_readable' });
  const text = CONTRACT_RECEIPT;
  const bytes = Buffer.from(text);
  const broken = Buffer.from(bytes);
  broken[broken.indexOf('owner-1')] = 0xff;
  return [
    failing('empty', 'Nothing at all.', ''),
    failing(
      'duplicate-key',
      'A member twice.',
      replaced(text, '"decision":"answer"', '"decision":"reject","decision":"answer"'),
    ),
    failing(
      'duplicate-key-escaped',
      'A member twice, once with an escape.',
      replaced(text, '"decision":"answer"', '"decisio\\u006e":"reject","decision":"answer"'),
    ),
    failing(
      'deep',
      'Nested a hundred levels deep.',
      replaced(text, '"rev-2"', `${'['.repeat(100)}${']'.repeat(100)}`),
    ),
    failing(
      'lone-surrogate',
      'Half a surrogate pair.',
      replaced(text, '"rev-2"', '"rev-2\\ud800"'),
    ),
    failing('not-utf-8', 'A byte that is no UTF-8.', broken),
    failing('byte-order-mark', 'A byte-order mark.', `\ufeff${text}`),
    failing('trailing-text', 'Two documents in one file.', `${text}${text}`),
    failing('truncated', 'The end is missing.', text.slice(0, -1)),
    failing(
      'unsafe-integer',
      'A number that no double holds.',
      replaced(text, '"rev-2"', '9007199254740993'),
    ),
    failing('comment', 'A comment.', `/* signed */${text}`),
    failing('other-document', 'JSON of no kind that can be verified.', '{"valid":true}'),
    failing(
      'prototype',
      'Members that some readers take for something else.',
      '{"__proto__":{"protected":{},"payload":{},"signature":""}}',
    ),
  ];
}
