import { DEFAULT_LIMITS, REVIEW_DOCUMENT_CHARACTERS } from '../constants.js';
import type { JsonValue } from '../json/value.js';
import { EXAMPLES } from './examples.js';
import { oversizedBundle, oversizedPart, oversizedResponse } from './size.js';

const request = EXAMPLES.RequestInput as unknown as Record<string, JsonValue>;
const limits = { payload_bytes: 100, response_bytes: 150 };

describe('an oversized part of a request', () => {
  it('is none in the example', () => {
    expect(oversizedPart(request, DEFAULT_LIMITS)).toBeNull();
  });

  test.each([
    ['payload', 'x'.repeat(99), 'payload_too_large'],
    ['review_document', 'é'.repeat(51), 'document_too_large'],
    ['response_schema', { title: 'x'.repeat(150) }, 'schema_too_large'],
    ['metadata', { note: 'x'.repeat(150) }, 'metadata_too_large'],
    [
      'execution',
      { provenance: { references: { note: 'x'.repeat(150) } } },
      'provenance_too_large',
    ],
  ])('is found in %s', (part, value, code) => {
    expect(oversizedPart({ ...request, [part]: value }, limits)).toBe(code);
  });

  it('is checked by bytes at the limit', () => {
    expect(oversizedPart({ payload: 'x'.repeat(98) }, limits)).toBeNull();
    expect(oversizedPart({ review_document: 'é'.repeat(50) }, limits)).toBeNull();
  });

  it('is found in the order of the protocol', () => {
    const input = { metadata: { note: 'x'.repeat(150) }, payload: 'x'.repeat(99) };
    expect(oversizedPart(input, limits)).toBe('payload_too_large');
  });

  it('is a document of too many characters, for any limit', () => {
    const review_document = 'x'.repeat(REVIEW_DOCUMENT_CHARACTERS + 1);
    const wide = { payload_bytes: Number.MAX_SAFE_INTEGER, response_bytes: 1 };
    expect(oversizedPart({ review_document }, wide)).toBe('document_too_large');
    expect(oversizedPart({ review_document: review_document.slice(1) }, wide)).toBeNull();
    expect(
      oversizedPart({ review_document: '😀'.repeat(REVIEW_DOCUMENT_CHARACTERS / 2 + 1) }, wide),
    ).toBeNull();
  });

  test.each([null, 7, 'text', [], {}, { execution: null }, { execution: { provenance: [] } }])(
    'is left to the schema when the body is %j',
    (input) => {
      expect(oversizedPart(input as JsonValue, limits)).toBeNull();
    },
  );

  it('is measured by the given function', () => {
    expect(oversizedPart({ payload: 1 }, limits, () => 101)).toBe('payload_too_large');
  });
});

describe('other oversized parts', () => {
  it('are html over its bytes', () => {
    expect(oversizedBundle({ html: 'é' }, { bundle_bytes: 1 })).toBe('bundle_too_large');
    expect(oversizedBundle({ html: 'é' }, { bundle_bytes: 2 })).toBeNull();
    expect(oversizedBundle({ html: 7 }, { bundle_bytes: 0 })).toBeNull();
  });

  it('are responses over their canonical bytes', () => {
    expect(oversizedResponse({ response: 'ab' }, { response_bytes: 3 })).toBe('response_too_large');
    expect(oversizedResponse({ response: 'ab' }, { response_bytes: 4 })).toBeNull();
    expect(oversizedResponse({}, { response_bytes: 0 })).toBeNull();
  });
});
