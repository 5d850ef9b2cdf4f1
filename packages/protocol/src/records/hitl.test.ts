import { EXAMPLES } from './examples.js';
import { validate } from './validation.js';

const { case_id, created_at, expires_at } = {
  case_id: '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d',
  created_at: '2026-05-01T09:00:00.000Z',
  expires_at: '2026-05-01T10:00:00.000Z',
};
const open = { case_id, created_at, expires_at };
const polls: Record<string, Record<string, unknown>> = {
  pending: { ...open, status: 'pending' },
  expired: { ...open, status: 'expired', expired_at: expires_at, default_action: 'abort' },
  cancelled: { ...open, status: 'cancelled', cancelled_at: created_at, reason: 'cancelled' },
  completed: EXAMPLES.HitlPoll as Record<string, unknown>,
};

/** The members of a poll answer in the public v0.8 protocol, by status. */
const publicPoll: Record<string, { needs: string[]; knows: string[] }> = {
  pending: { needs: ['status', 'case_id'], knows: ['created_at', 'expires_at'] },
  expired: {
    needs: ['status', 'case_id', 'expired_at', 'default_action'],
    knows: ['created_at', 'expires_at'],
  },
  cancelled: {
    needs: ['status', 'case_id', 'cancelled_at'],
    knows: ['created_at', 'expires_at', 'reason'],
  },
  completed: { needs: ['status', 'case_id', 'completed_at', 'result'], knows: [] },
};

describe('a poll answer', () => {
  test.each(Object.entries(polls))('of status %s is valid', (_, poll) => {
    expect(validate('HitlPoll', poll)).toBe(true);
    expect(validate('HitlStatus', poll)).toBe(true);
  });

  test.each(Object.entries(polls))(
    'of status %s has what the public protocol wants',
    (status, poll) => {
      const { needs, knows } = publicPoll[status] as { needs: string[]; knows: string[] };
      for (const member of needs) {
        const { [member]: _absent, ...rest } = poll;
        expect([member, validate('HitlPoll', rest)]).toEqual([member, false]);
      }
      expect([...needs, ...knows].sort()).toEqual(Object.keys(poll).sort());
    },
  );

  test.each(['opened', 'in_progress', 'superseded'])('is never %s', (status) => {
    expect(validate('HitlPoll', { ...open, status })).toBe(false);
  });

  it('holds result members that the public protocol knows', () => {
    const completed = polls['completed'] as { result: Record<string, unknown> };
    expect(Object.keys(completed.result).sort()).toEqual(['action', 'data']);
    const other = { ...completed, result: { ...completed.result, more: 1 } };
    expect(validate('HitlPoll', other)).toBe(false);
  });
});

describe('a handover', () => {
  const input = EXAMPLES.HitlHandover as Record<string, unknown>;
  const { context: _context, ...approval } = { ...input, type: 'approval' } as Record<
    string,
    unknown
  >;

  it('is an approval without a form or an input with one', () => {
    expect(validate('HitlHandover', approval)).toBe(true);
    expect(validate('HitlHandover', { ...approval, type: 'input' })).toBe(false);
    expect(validate('HitlHandover', { ...input, type: 'approval' })).toBe(false);
  });

  test.each([
    ['spec_version', '0.7'],
    ['case_id', 'review_1'],
    ['review_url', 'http://review.example/x'],
    ['poll_url', 'https://'],
    ['prompt', ''],
    ['timeout', '300s'],
    ['timeout', 'PT0S'],
    ['default_action', 'cancel'],
    ['created_at', 'today'],
    ['submit_url', 'https://review.example/submit'],
  ])('refuses %s = %j', (member, value) => {
    expect(validate('HitlHandover', { ...input, [member]: value })).toBe(false);
  });

  it('takes loopback addresses in development', () => {
    const review_url = 'http://127.0.0.1:8080/review/1';
    expect(validate('HitlHandover', { ...input, review_url })).toBe(true);
  });

  test.each([
    ['key', 'not a key'],
    ['key', '1st'],
    ['label', ''],
    ['label', 'x'.repeat(201)],
    ['type', 'json'],
    ['options', [{ value: 'a' }]],
    ['validation', { pattern: '.*' }],
  ])('refuses a field with %s = %j', (member, value) => {
    expect(validate('HitlFormField', { ...EXAMPLES.HitlFormField, [member]: value })).toBe(false);
  });

  it('takes fields of own types', () => {
    expect(validate('HitlFormField', { ...EXAMPLES.HitlFormField, type: 'x-json' })).toBe(true);
  });
});
