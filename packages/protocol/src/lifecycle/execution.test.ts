import { MOST_ADMISSIONS, claimsEffectUnadmitted, created } from './index.js';
import { DEFAULT_QUOTAS } from '../constants.js';
import { OUTCOMES } from './testing/commands.js';

const { next: state } = created('authorise_execution', { reviewDeadline: 1, privateDeleteAt: 2 });

describe('an outcome without any admission', () => {
  it('is an incident when it claims an effect', () => {
    const claiming = OUTCOMES.filter((status) => claimsEffectUnadmitted(state, status));
    expect(claiming).toEqual(['completed', 'failed', 'failed_partial']);
  });

  it('is none once there was one', () => {
    const admitted = { ...state, admissions: 1 };
    expect(OUTCOMES.filter((status) => claimsEffectUnadmitted(admitted, status))).toEqual([]);
  });
});

it('admits as often as the quotas say', () => {
  expect(MOST_ADMISSIONS).toBe(DEFAULT_QUOTAS.admissions);
});
