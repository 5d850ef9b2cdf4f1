import { inSpan } from '../spans.js';
import { outsideTraces } from '../telemetry.js';
import type { Bus } from './types.js';

/** A bus whose calls are spans on both sides. Hints carry no trace: their receiver reads the state itself. */
export function traceBus(bus: Bus): Bus {
  return {
    ...bus,
    call: (subject, headers, body) =>
      inSpan(
        `${subject} call`,
        { kind: 'client', attributes: MESSAGING, parent: headers.traceparent },
        // An unsampled trace travels on as it is.
        ({ traceparent }) =>
          bus.call(subject, traceparent === null ? headers : { ...headers, traceparent }, body),
      ),
    serve: (subject, queue, handler, options) =>
      bus.serve(
        subject,
        queue,
        (request) =>
          inSpan(`${subject} serve`, { kind: 'server', attributes: MESSAGING }, () =>
            handler(request),
          ),
        options,
      ),
    subscribe: (subject, queue, handler) =>
      bus.subscribe(subject, queue, (body) => outsideTraces(() => handler(body))),
  };
}

const MESSAGING = { 'rpc.system.name': 'countersign' } as const;
