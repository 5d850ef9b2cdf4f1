import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, context, createContextKey, trace as spans } from '@opentelemetry/api';
import type { Tracer } from '@opentelemetry/api';
import { Registry, collectDefaultMetrics } from 'prom-client';
import { drawBytes } from './random.js';

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

function randomHex(bytes: number): string {
  return drawBytes(bytes).toString('hex');
}

/** The header that continues this trace on the other side of a call. */
export function traceparentOf(trace: Trace): string {
  return `00-${trace.traceId}-${trace.spanId}-${trace.flags}`;
}

/** Creates spans, once tracing is switched on (tracing.ts); null costs no more than this test. */
let tracer: Tracer | null = null;
let samples = () => false;

/** `samplesTrace`: the sampler's decision for a new trace with that id. */
export function traceWith(
  given: Tracer | null,
  samplesTrace: (traceId: string) => boolean = () => false,
): void {
  tracer = given;
  samples = () => samplesTrace(randomHex(16));
}

/** In the context of a call that {@link samplesNew} was asked about: the sampler takes it, whatever its trace id. */
export const IS_SAMPLED = createContextKey('countersign.is_sampled');

/** Whether the sampler takes a new trace: the configured part of them. */
export function samplesNew(): boolean {
  return samples();
}

export function tracerInUse(): Tracer | null {
  return tracer;
}

/** The trace this code runs in; with tracing on the active span's. */
export function currentTrace(): Trace | undefined {
  const span = tracer === null ? undefined : spans.getActiveSpan()?.spanContext();
  if (span === undefined) return traces.getStore();
  const { traceId, spanId, traceFlags } = span;
  return { traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0') };
}

/** Runs `work` in that trace: logs and bus calls below it carry the trace id, spans below it belong to it. */
export function inTrace<T>(trace: Trace, work: () => T): T {
  if (tracer === null) return traces.run(trace, work);
  const { traceId, spanId, flags } = trace;
  const parent = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return traces.run(trace, () => context.with(spans.setSpanContext(ROOT_CONTEXT, parent), work));
}

/** Runs `work` as the next step of the trace that a `traceparent` names, else of a new one. */
export function continueTrace<T>(traceparent: string | undefined, work: () => T): T {
  if (tracer === null) return inTrace(newTrace(traceparent), work);
  // Steps are spans now: only a recorded call has an id of its own.
  const parent = parseTraceparent(traceparent);
  if (parent !== null) return inTrace(parent, work);
  return traces.run(newTrace(), () => context.with(ROOT_CONTEXT, work));
}

/** Runs background work, such as that woken by a hint, outside the trace that led to it. */
export function outsideTraces<T>(work: () => T): T {
  return tracer === null ? work() : traces.exit(() => context.with(ROOT_CONTEXT, work));
}

/** A registry of this process's own metrics: memory, event loop, handles; services add theirs. */
export function createMetrics(target: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ target });
  collectDefaultMetrics({ register: registry });
  // Gauges with the names of counters.
  for (const kind of ['handles', 'requests', 'resources']) {
    registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  }
  return registry;
}
