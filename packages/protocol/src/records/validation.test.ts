import { Refusal } from '../errors.js';
import { EXAMPLES } from './examples.js';
import type { RecordName } from './registry.js';
import { assertRecord } from './validation.js';

function refusalOf(name: RecordName, value: unknown): Refusal {
  try {
    assertRecord(name, value);
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the refusal of a record', () => {
  const input = EXAMPLES.RequestInput;
  const secret = 'hunter2';

  test.each<[string, unknown, string]>([
    [
      'a missing member',
      { ...input, summary: undefined },
      'The body must have the member summary.',
    ],
    ['an unknown member', { ...input, [secret]: 1 }, 'The body must not have unknown members.'],
    ['a wrong type', { ...input, summary: [secret] }, '/summary must be string.'],
    [
      'a nested fault',
      { ...input, artefact: { ...input.artefact, digest: secret } },
      '/artefact/digest must match pattern "^sha256:[a-f0-9]{64}$".',
    ],
    [
      'a wrong constant',
      { ...input, protocol_revision: secret },
      '/protocol_revision must be "2.0.0-draft.3".',
    ],
    [
      'a wrong choice',
      { ...input, purpose: secret },
      '/purpose must be one of ["review","authorise_execution"].',
    ],
    ['a member out of place', { ...input, purpose: 'review' }, '/execution must be absent.'],
    [
      'a missing profile',
      { ...input, profiles: { 'proto.execution': '1-draft.1' } },
      '/profiles must have the member proto.agent-ui.',
    ],
    [
      'a value out of range',
      { ...input, review_seconds: 90000 },
      '/review_seconds must be <= 86400.',
    ],
    ['a body of another type', secret, 'The body must be object.'],
  ])('names place and rule for %s, never a value', (_, value, detail) => {
    const refusal = refusalOf('RequestInput', value);
    expect(refusal.code).toBe('invalid_RequestInput');
    expect(refusal.detail).toBe(detail);
    expect(refusal.detail).not.toContain(secret);
  });

  it('does not repeat long names of the sender', () => {
    const profiles = { ['x'.repeat(5000)]: '' };
    expect(refusalOf('RequestInput', { ...input, profiles }).detail?.length).toBeLessThan(300);
  });

  it('carries the code of the record', () => {
    expect(refusalOf('EmptyInput', { a: 1 }).code).toBe('invalid_EmptyInput');
    expect(refusalOf('PrincipalInput', {}).code).toBe('invalid_principal');
    expect(refusalOf('RouteInput', {}).code).toBe('invalid_route');
  });

  it('keeps the fault of a stored record out of the answer', () => {
    const refusal = refusalOf('DecisionRequest', {});
    expect(refusal.code).toBe('material_integrity_mismatch');
    expect(refusal.detail).toBeUndefined();
    expect(String(refusal.cause)).toContain('must have the member');
  });
});
