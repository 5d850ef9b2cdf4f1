import { AsyncLocalStorage } from 'node:async_hooks';
import { randomFillSync } from 'node:crypto';
import { context, trace as spans } from '@opentelemetry/api';
import { Registry, collectDefaultMetrics } from 'prom-client';

/** One step of a W3C trace. */
export interface Trace {
  /** 32 lower-case hex digits; also the `instance` of problem documents. */
  readonly traceId: string;
  /** 16 lower-case hex digits. */
  readonly spanId: string;
  /** Two hex digits; `01` = sampled. */
  readonly flags: string;
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

const traces = new AsyncLocalStorage<Trace>();

/** The trace of a `traceparent` header, or null when it is not one (version `ff`, all-zero ids, upper case). */
export function parseTraceparent(header: string | undefined): Trace | null {
  if (header === undefined || header.length > 256 || header.startsWith('ff')) return null;
  const [, traceId, spanId, flags] = TRACEPARENT.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  // Version 00 ends after the flags.
  if (header.startsWith('00') && header.length !== 55) return null;
  return traceId === NO_TRACE || spanId === NO_SPAN ? null : { traceId, spanId, flags };
}

/** A new step: of the trace that the header names, else of a new one. */
export function newTrace(traceparent?: string): Trace {
  const parent = parseTraceparent(traceparent);
  const spanId = randomHex(8);
  return parent === null
    ? { traceId: randomHex(16), spanId, flags: '01' }
    : { traceId: parent.traceId, spanId, flags: parent.flags };
}

const pool = Buffer.alloc(4096);
let taken = pool.length;

/** Ids are drawn for every call, and asking the system for a few bytes costs as much as for many. */
function randomHex(bytes: number): string {
  if (taken + bytes > pool.length) {
    randomFillSync(pool);
    taken = 0;
  }
  taken += bytes;
  return pool.toString('hex', taken - bytes, taken);
}

/** The header that continues this trace on the other side of a call. */
export function traceparentOf(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.flags}`;
}

/** The trace this code runs in; a span of an OpenTelemetry SDK, when one is loaded, comes first. */
export function currentTrace(): Trace | undefined {
  const span = spans.getActiveSpan()?.spanContext();
  if (span === undefined) return traces.getStore();
  const { traceId, spanId, traceFlags } = span;
  return { traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0') };
}

/** Runs `work` in that trace: logs and bus calls below it carry the trace id. */
export function inTrace<T>(trace: Trace, work: () => T): T {
  const { traceId, spanId, flags } = trace;
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return traces.run(trace, () =>
    context.with(spans.setSpanContext(context.active(), parent), work),
  );
}

/** A registry of this process's own metrics: memory, event loop, handles; services add theirs. */
export function createMetrics(target: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ target });
  collectDefaultMetrics({ register: registry });
  return registry;
}
