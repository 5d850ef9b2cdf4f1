import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { BODY_LIMITS, BodyWorkers, SMALL_BODY_BYTES, withInput } from '@countersign/platform';
import type { OperationAnswer, OperationCall } from '@countersign/platform';
import { newFolder } from '../support/folder.js';

// The built threads themselves: their work on a body is a file of the test.

const job = pathToFileURL(join(__dirname, '../../packages/platform/dist/body-workers/job.js'));
const protocol = pathToFileURL(join(__dirname, '../../packages/protocol/dist/index.js'));
const SOURCE = `
import { threadId } from 'node:worker_threads';
import { answerJobs } from '${job}';
import { Refusal } from '${protocol}';
answerJobs((question, bytes) => {
  if (question === 'refuse') throw new Refusal('payload_too_large', { detail: 'Too much.' });
  if (question === 'fail') throw new TypeError('a word of the body');
  if (question === 'grow') for (const all = [];;) all.push(new Array(1e6).fill(Math.random()));
  const result = Uint8Array.from(bytes).reverse();
  return { result: { result, threadId }, buffers: [result] };
});`;

const owner = { tenant: 't', id: 'a' };
let workers: BodyWorkers;

beforeEach(() => {
  const file = join(newFolder('body-workers'), 'worker.mjs');
  writeFileSync(file, SOURCE);
  const resourceLimits = { maxOldGenerationSizeMb: 32 };
  workers = new BodyWorkers(pathToFileURL(file), { ...BODY_LIMITS, idleMs: 50, resourceLimits });
});
afterEach(() => workers.stop());

type Done = { result: Uint8Array; threadId: number };

async function run(question: string, bytes: Uint8Array, id = 'a'): Promise<Done> {
  const place = await workers.place({ ...owner, id }, bytes.length);
  try {
    return await place.run<Done>(question, bytes);
  } finally {
    place.leave();
  }
}

it('does a job on the bytes, which are given away', async () => {
  const bytes = Uint8Array.of(1, 2, 3);
  expect([...(await run('reverse', bytes)).result]).toEqual([3, 2, 1]);
  expect(bytes.length).toBe(0);
});

it('does not move a buffer that others share', async () => {
  const all = Uint8Array.of(1, 2, 3, 4);
  expect([...(await run('reverse', all.subarray(1, 3))).result]).toEqual([3, 2]);
  expect([...all]).toEqual([1, 2, 3, 4]);
});

it('passes a refusal on unchanged, and of another failure only its name', async () => {
  await expect(run('refuse', Uint8Array.of(1))).rejects.toMatchObject({
    code: 'payload_too_large',
    status: 413,
    detail: 'Too much.',
  });
  await expect(run('fail', Uint8Array.of(1))).rejects.toThrow(/TypeError$/);
});

it('survives a body that needs more memory than there is', async () => {
  await expect(run('grow', Uint8Array.of(1))).rejects.toMatchObject({ code: 'body_too_large' });
  expect([...(await run('reverse', Uint8Array.of(1, 2))).result]).toEqual([2, 1]);
});

it('has two threads at most, which end when there is nothing to do', async () => {
  const first = await Promise.all(
    ['a', 'b', 'c', 'd'].map((id) => run('reverse', Uint8Array.of(1), id)),
  );
  const threads = new Set(first.map(({ threadId }) => threadId));
  expect(threads.size).toBeLessThanOrEqual(2);
  // An idle one ends some time after 50 ms; the next job has a new one.
  for (let next = [...threads][0]!; threads.has(next);) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    next = (await run('reverse', Uint8Array.of(1))).threadId;
  }
});

it('refuses jobs under way when it stops', async () => {
  const running = run('reverse', new Uint8Array(1000));
  await new Promise((resolve) => setImmediate(resolve));
  await workers.stop();
  await expect(running).rejects.toThrow();
  await expect(run('reverse', Uint8Array.of(1))).rejects.toThrow();
});

describe('an operation whose body may be large', () => {
  type Name = 'review.propose';
  const answered = { status: 201, body: '' } as OperationAnswer<Name>;
  const bodyOf = (length: number): OperationCall<Name> =>
    ({
      caller: owner,
      body: '',
      largeBody: { bytes: length, take: async () => new Uint8Array(length) },
    }) as unknown as OperationCall<Name>;

  it('is refused while there is no place for its body, which stays where it is', async () => {
    const full = new BodyWorkers(new URL('file:///none.js'), { ...BODY_LIMITS, waitMs: 1 });
    const place = await full.place(owner, 1);
    const handler = withInput<Name, { digest: 'sha256:' }>(
      { bodies: full, question: 'reverse', read: () => ({ digest: 'sha256:' }) },
      async () => answered,
    );
    const take = jest.fn();
    const call = { ...bodyOf(1), largeBody: { bytes: 1, take } };
    await expect(handler(call)).rejects.toMatchObject({
      code: 'service_unavailable',
      status: 503,
      retryAfter: 2,
    });
    expect(take).not.toHaveBeenCalled();
    place.leave();
    await full.stop();
  });

  it('reads it in a worker and keeps its place until it is answered', async () => {
    const bytes = SMALL_BODY_BYTES + 1;
    const read = jest.fn();
    const left = jest.fn();
    const bodies = {
      place: async (...of: Parameters<typeof workers.place>) => {
        const place = await workers.place(...of);
        return { ...place, leave: () => (left(), place.leave()) };
      },
    };
    const handler = withInput<Name, Done & { digest: 'sha256:' }>(
      { bodies, question: 'reverse', read },
      async ({ input, body }) => {
        expect(body).toBe(input);
        expect([input.result.length, left.mock.calls.length]).toEqual([bytes, 0]);
        expect(input.threadId).toBeGreaterThan(0);
        return answered;
      },
    );
    expect(await handler(bodyOf(bytes))).toBe(answered);
    expect(left).toHaveBeenCalledTimes(1);
    expect(read).not.toHaveBeenCalled();
  });
});
