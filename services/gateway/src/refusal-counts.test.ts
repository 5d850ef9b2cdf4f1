import { createLogger } from '@countersign/platform';
import { createRefusalCounts } from './refusal-counts.js';
import type { RefusalCount } from './store/security-events.js';

const log = createLogger({ name: 'test', level: 'silent' });

it('a flood from thousands of networks costs a bounded number of rows, and loses no count', async () => {
  const written: RefusalCount[] = [];
  const counts = createRefusalCounts(
    { addRefusals: async (rows) => void written.push(...rows) },
    log,
  );
  for (let n = 0; n < 5000; n += 1) {
    counts.count('credential.refused', 'unauthenticated', `192.0.${n >> 8}.${n & 255}`);
  }
  await counts.stop();
  expect(written.length).toBeLessThanOrEqual(65);
  expect(written.reduce((sum, { count }) => sum + count, 0)).toBe(5000);
  expect(JSON.stringify(written)).not.toContain('192.0.');
});

it('keeps counts that cannot be written for the next time', async () => {
  let fails = true;
  const written: RefusalCount[] = [];
  const counts = createRefusalCounts(
    {
      addRefusals: async (rows) => {
        if (fails) throw new Error('away');
        written.push(...rows);
      },
    },
    log,
  );
  counts.count('login.refused', 'invalid_login', '192.0.2.1');
  await counts.stop();
  fails = false;
  await counts.stop();
  expect(written).toMatchObject([{ reason: 'invalid_login', count: 1 }]);
});
