import { CALL_SECONDS, Histogram } from '@countersign/platform';
import type { Registry } from '@countersign/platform';

import type { Call } from './call.js';

/** Sees every call once, when it comes. */
export type HttpTimes = (call: Call) => void;

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT']);

/**
 * `countersign_http_seconds`: from the head of a call to the end of its answer, without the time that it was held, by route,
 * method and status.
 */
export function createHttpTimes(registry: Registry): HttpTimes {
  const histogram = new Histogram({
    name: 'countersign_http_seconds',
    help: 'The duration of a call, from its head to the last byte of its answer, without the time that it was held.',
    labelNames: ['method', 'route', 'status'],
    buckets: CALL_SECONDS,
    registers: [registry],
  });
  return (call) => {
    const { request, response } = call;
    const begin = performance.now();
    response.once('finish', () => {
      const method = request.method ?? '';
      histogram.observe(
        {
          method: METHODS.has(method) ? method : 'other',
          route: call.route,
          status: response.statusCode,
        },
        (performance.now() - begin - call.heldMs) / 1000,
      );
    });
  };
}
