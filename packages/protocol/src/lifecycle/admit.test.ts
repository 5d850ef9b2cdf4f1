import { DEFAULT_QUOTAS } from '../constants.js';
import { MOST_ADMISSIONS } from './index.js';

it('admits as often as the quotas say', () => {
  expect(MOST_ADMISSIONS).toBe(DEFAULT_QUOTAS.admissions);
});
