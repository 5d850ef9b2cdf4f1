import { Histogram } from 'prom-client';
import type { Registry } from 'prom-client';
import { Refusal } from '@countersign/protocol';
import type { Bus } from './bus/types.js';

/** Seconds: from a fraction of a transition to the time after which callers give up. */
export const CALL_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** `refused`: the caller got a refusal. `failed`: it got 503, and may retry. */
type Outcome = 'ok' | 'refused' | 'failed';

/** Observes how long something took; one per label value, looked up once. */
type Observe = (seconds: number) => void;

/**
 * The same bus, timed: `countersign_operation_seconds{operation,outcome}` where an operation is served,
 * `countersign_call_seconds{operation,outcome}` where it is asked for. Names of operations come from the code, so there
 * are as many as the code has.
 */
export function meteredBus(bus: Bus, registry: Registry): Bus {
  const served = timesOf(
    registry,
    'countersign_operation_seconds',
    'How long a service took for an operation, its transaction included.',
  );
  const called = timesOf(
    registry,
    'countersign_call_seconds',
    'How long a call to a service took, its way there and back included.',
  );
  return {
    ...bus,
    call: (subject, headers, body) =>
      timed(called(subject), () => bus.call(subject, headers, body)),
    serve: (subject, queue, handler, options) => {
      const observe = served(subject);
      return bus.serve(
        subject,
        queue,
        (request) => timed(observe, () => handler(request)),
        options,
      );
    },
  };
}

async function timed<T extends { readonly status: number }>(
  observe: Readonly<Record<Outcome, Observe>>,
  work: () => Promise<T>,
): Promise<T> {
  const begin = performance.now();
  const seconds = (): number => (performance.now() - begin) / 1000;
  try {
    const reply = await work();
    observe[reply.status < 400 ? 'ok' : 'refused'](seconds());
    return reply;
  } catch (error) {
    const refused = error instanceof Refusal && error.status < 500;
    observe[refused ? 'refused' : 'failed'](seconds());
    throw error;
  }
}

function timesOf(
  registry: Registry,
  name: string,
  help: string,
): (subject: string) => Readonly<Record<Outcome, Observe>> {
  const histogram = new Histogram({
    name,
    help,
    labelNames: ['operation', 'outcome'],
    buckets: CALL_SECONDS,
    registers: [registry],
  });
  const known = new Map<string, Readonly<Record<Outcome, Observe>>>();
  return (subject) => {
    let found = known.get(subject);
    if (found === undefined) {
      const operation = subject.replace(/^countersign\./, '');
      const child = (outcome: Outcome): Observe => {
        const labels = { operation, outcome };
        // There from the start, so that the first one is seen as a change.
        histogram.zero(labels);
        const timer = histogram.labels(labels);
        return (seconds) => timer.observe(seconds);
      };
      found = { ok: child('ok'), refused: child('refused'), failed: child('failed') };
      known.set(subject, found);
    }
    return found;
  };
}
