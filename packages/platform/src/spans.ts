import { ROOT_CONTEXT, SpanKind, SpanStatusCode, context, trace as api } from '@opentelemetry/api';
import type { Attributes, Context, Span } from '@opentelemetry/api';
import { Refusal } from '@countersign/protocol';
import {
  IS_SAMPLED,
  newTrace,
  parseTraceparent,
  samplesNew,
  tracerInUse,
  traceparentOf,
} from './telemetry.js';
import type { Trace } from './telemetry.js';

/**
 * Spans are made by hand at the few seams that a call passes (docs/tracing.md). Their names and attributes are names of
 * ours, numbers and codes: never an id of a person, a message of an error, or any value that a caller sent.
 */
export interface SpanOptions {
  readonly kind?: keyof typeof KINDS;
  readonly attributes?: Attributes;
  /** A `traceparent`; the current span when not given. */
  readonly parent?: string | undefined;
  /** Epoch milliseconds, for work that has already begun. */
  readonly begun?: number;
}

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

export interface OpenSpan {
  /** The trace context below this span; null where nothing is recorded. */
  readonly traceparent: string | null;
  run<T>(work: () => T): T;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Its error: only codes and kinds of errors are kept. */
  fail(failure: unknown): void;
  /** `at` in epoch milliseconds; now without. */
  end(at?: number): void;
}

const NO_SPAN: OpenSpan = {
  traceparent: null,
  run: (work) => work(),
  rename: () => {},
  set: () => {},
  fail: () => {},
  end: () => {},
};

/** A span below a sampled one. Without one, as in background work, nothing is recorded. */
export function openSpan(name: string, options: SpanOptions = {}): OpenSpan {
  const tracer = tracerInUse();
  if (tracer === null) return NO_SPAN;
  const parent = contextOf(options.parent);
  const above = api.getSpanContext(parent);
  if (above === undefined || (above.traceFlags & 1) === 0) return NO_SPAN;
  const { kind = 'internal', attributes = {}, begun } = options;
  const settings = begun === undefined ? {} : { startTime: begun };
  return opened(
    tracer.startSpan(name, { kind: KINDS[kind], attributes, ...settings }, parent),
    parent,
  );
}

/** Runs `work` in a span that ends with it. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: OpenSpan) => Promise<T>,
): Promise<T> {
  const span = openSpan(name, options);
  return span === NO_SPAN
    ? work(span)
    : ended(
        span,
        span.run(() => work(span)),
      );
}

async function ended<T>(span: OpenSpan, work: Promise<T>): Promise<T> {
  try {
    const result = await work;
    span.end();
    return result;
  } catch (error) {
    span.fail(error);
    span.end();
    throw error;
  }
}

/**
 * Runs work that is done for many at once, each in a trace of its own: whose it was is asked when it is done, and each of
 * them gets a span of that time. Failed work is repeated and belongs to no trace yet.
 */
export async function inSpanOfEach<T>(
  name: string,
  options: SpanOptions,
  work: () => Promise<T>,
  parentsOf: (result: T) => Promise<Iterable<string>>,
): Promise<T> {
  if (tracerInUse() === null) return work();
  const begun = Date.now();
  const result = await work();
  const ended = Date.now();
  for (const parent of await parentsOf(result)) {
    openSpan(name, { ...options, parent, begun }).end(ended);
  }
  return result;
}

/**
 * A call from outside: its trace, and its span where one is recorded. Here the sampler decides. Whether a `traceparent` is
 * sampled counts only if `trusted`; a stranger's keeps its ids, and is recorded as if it had none.
 */
export function openCall(
  traceparent: string | undefined,
  trusted: boolean,
): { trace: Trace; span: OpenSpan } {
  const tracer = tracerInUse();
  // Without spans the edge hands its trace on by itself: a context of its own would cost every call.
  if (tracer === null) return { trace: newTrace(traceparent), span: NO_SPAN };
  const given = parseTraceparent(traceparent);
  let parent = given === null ? ROOT_CONTEXT : remoteContext(given);
  if (given !== null && !trusted) {
    // Not by the ids either, which the caller has chosen.
    if (!samplesNew()) return { trace: { ...newTrace(traceparent), flags: '00' }, span: NO_SPAN };
    parent = parent.setValue(IS_SAMPLED, true);
  }
  const span = tracer.startSpan('HTTP', { kind: SpanKind.SERVER }, parent);
  const { traceId, spanId, traceFlags } = span.spanContext();
  const trace = { traceId, spanId, flags: traceFlags.toString(16).padStart(2, '0') };
  return { trace, span: opened(span, parent) };
}

/** The `traceparent` of the current span; null where nothing is recorded. */
export function recordedTraceparent(): string | null {
  if (tracerInUse() === null) return null;
  const span = api.getActiveSpan()?.spanContext();
  return span === undefined || (span.traceFlags & 1) === 0
    ? null
    : traceparentOf({ ...span, flags: '01' });
}

function contextOf(traceparent: string | undefined): Context {
  const parent = parseTraceparent(traceparent);
  return parent === null ? context.active() : remoteContext(parent);
}

function remoteContext({ traceId, spanId, flags }: Trace): Context {
  const traceFlags = Number.parseInt(flags, 16);
  return api.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

function opened(span: Span, parent: Context): OpenSpan {
  const active = api.setSpan(parent, span);
  const { traceId, spanId } = span.spanContext();
  return {
    traceparent: span.isRecording() ? traceparentOf({ traceId, spanId, flags: '01' }) : null,
    run: (work) => context.with(active, work),
    rename: (name) => void span.updateName(name),
    set: (attributes) => void span.setAttributes(attributes),
    fail: (failure) => note(span, failure),
    end: (at) => span.end(at),
  };
}

/** A refusal is an answer, and no failure of ours unless it says so. */
function note(span: Span, failure: unknown): void {
  span.setAttribute('error.type', kindOf(failure));
  if (failure instanceof Refusal && failure.status < 500) return;
  span.setStatus({ code: SpanStatusCode.ERROR });
}

/** Messages quote input: only a code, or the name of the kind, is exported. */
function kindOf(failure: unknown): string {
  if (!(failure instanceof Error)) return 'error';
  const { code } = failure as { code?: unknown };
  return typeof code === 'string' && /^\w{1,64}$/.test(code) ? code : failure.name;
}
