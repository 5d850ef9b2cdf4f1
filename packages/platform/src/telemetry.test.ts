import {
  createMetrics,
  currentTrace,
  inTrace,
  newTrace,
  parseTraceparent,
  traceparentOf,
} from './telemetry.js';

const TRACE = 'ab'.repeat(16);
const SPAN = 'cd'.repeat(8);

it('continues a trace that it is given', () => {
  const trace = newTrace(`00-${TRACE}-${SPAN}-00`);
  expect(trace).toMatchObject({ traceId: TRACE, flags: '00' });
  expect(trace.spanId).not.toBe(SPAN);
  expect(parseTraceparent(traceparentOf(trace))).toEqual(trace);
});

it('accepts additions of a later version', () => {
  expect(parseTraceparent(`01-${TRACE}-${SPAN}-01-more`)).toMatchObject({ traceId: TRACE });
});

it.each([
  undefined,
  '',
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `00-${TRACE}-${SPAN}-0`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  ` 00-${TRACE}-${SPAN}-01`,
  `01-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`,
])('starts a new trace instead of %j', (header) => {
  expect(parseTraceparent(header)).toBeNull();
  const trace = newTrace(header);
  expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(trace.spanId).toMatch(/^[0-9a-f]{16}$/);
});

it('never gives an id twice', () => {
  const ids = new Set(Array.from({ length: 5000 }, () => newTrace().traceId));
  expect(ids.size).toBe(5000);
});

it('follows the call, and each call its own', async () => {
  const seen = await Promise.all(
    [newTrace(), newTrace()].map((trace) =>
      inTrace(trace, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        return currentTrace() === trace;
      }),
    ),
  );
  expect(seen).toEqual([true, true]);
  expect(currentTrace()).toBeUndefined();
});

it('makes a registry of process metrics', async () => {
  const text = await createMetrics('review').metrics();
  expect(text).toContain('process_cpu_user_seconds_total{target="review"}');
});
