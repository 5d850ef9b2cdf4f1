import { SECONDS } from '../constants.js';
import type { Refusal } from '../errors.js';
import { EXAMPLES } from '../records/examples.js';
import { formatTimestamp } from '../records/timestamp.js';
import { create, materialReadable, remind, requireDecisionOfPurpose } from './index.js';
import type { Decision, Purpose } from './index.js';

const DAY = SECONDS.reminderInterval * 1000;

function pending(days: number, remindedAt: number | null) {
  const at = formatTimestamp(days * DAY);
  const request = { ...EXAMPLES.DecisionRequest, review_deadline: at, private_delete_at: at };
  return create(request, remindedAt).next;
}

function retryAfter(remindedAt: number, now: number): number | null | undefined {
  try {
    remind(pending(10, remindedAt), now);
    return null;
  } catch (error) {
    return (error as Refusal).retryAfter;
  }
}

describe('the reminder limit', () => {
  test.each([
    [0, 86_400],
    [1, 86_400],
    [1000, 86_399],
    [DAY - 1, 1],
    [DAY, null],
  ])('asks to wait the rest of the day: %d ms after the last', (passed, seconds) => {
    expect(retryAfter(DAY, DAY + passed)).toBe(seconds);
  });
});

describe('a decision', () => {
  const all: Decision[] = ['answer', 'approve', 'reject', 'authorise', 'refuse'];
  const allowed = (purpose: Purpose) =>
    all.filter((decision) => {
      try {
        requireDecisionOfPurpose(purpose, decision);
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'purpose_decision_mismatch' });
        return false;
      }
    });

  it('is of the request’s purpose', () => {
    expect(allowed('review')).toEqual(['answer', 'approve', 'reject']);
    expect(allowed('authorise_execution')).toEqual(['authorise', 'refuse']);
  });
});

it('shows private material until the instant of its deletion', () => {
  const next = pending(2, null);
  expect(materialReadable(next, 2 * DAY - 1)).toBe(true);
  expect(materialReadable(next, 2 * DAY)).toBe(false);
  expect(materialReadable({ ...next, materialDeleted: true }, 0)).toBe(false);
});
