import { ROOT_CONTEXT, SpanKind, diag } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  defaultResource,
  detectResources,
  envDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ConsoleSpanExporter,
  NodeTracerProvider,
  ParentBasedSampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node';
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace-node';
import type { Logger } from '../log.js';
import { IS_SAMPLED, traceWith } from '../telemetry.js';

export interface TracingOptions {
  readonly exporter: 'otlp' | 'console';
  /** The whole URL that traces are posted to, as OTLP/HTTP in JSON. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: `${'' | 'parentbased_'}${'always_on' | 'always_off' | 'traceidratio'}`;
  /** Of the ratio samplers, 0 to 1. */
  readonly ratio: number;
  readonly serviceName: string;
  readonly log: Logger;
}

/** One batch may take so long; a collector that hangs costs spans, and nothing else. */
const EXPORT_MS = 3000;
/** Spans that are not sent by then when the process stops are lost. */
const FLUSH_MS = 2000;
/** Spans that are recorded faster than they are sent are dropped, not kept. */
const MOST_WAITING = 4096;
const COMPLAIN_EVERY_MS = 60_000;

export interface Tracing {
  /** Sends the remaining spans, for a bounded time: after all that could be traced has ended. */
  stop(): Promise<void>;
}

/** Switches tracing on for this process (docs/tracing.md). */
export function startTracing(options: TracingOptions): Tracing {
  // The SDK's own messages quote addresses and answers; we log failures ourselves.
  diag.disable();
  const exporter =
    options.exporter === 'console' ? new ConsoleSpanExporter() : otlpExporter(options);
  const processor = new BatchSpanProcessor(watched(exporter, options.log), {
    maxQueueSize: MOST_WAITING,
    maxExportBatchSize: 512,
    scheduledDelayMillis: 1000,
    exportTimeoutMillis: EXPORT_MS,
  });
  const sampler = samplerOf(options);
  const provider = new NodeTracerProvider({
    sampler: exceptDecided(sampler),
    resource: defaultResource()
      .merge(detectResources({ detectors: [envDetector] }))
      .merge(resourceFromAttributes({ 'service.name': options.serviceName })),
    spanProcessors: [processor],
  });
  // Our own envelopes carry the context: there is no propagator and no baggage.
  provider.register({ propagator: null });
  traceWith(provider.getTracer('countersign'), (traceId) => {
    const asked = sampler.shouldSample(ROOT_CONTEXT, traceId, 'HTTP', SpanKind.SERVER, {}, []);
    return asked.decision === SamplingDecision.RECORD_AND_SAMPLED;
  });
  return {
    stop: async () => {
      traceWith(null);
      await Promise.race([provider.shutdown().catch(() => {}), passed(FLUSH_MS)]);
    },
  };
}

function otlpExporter({ url, headers }: TracingOptions): SpanExporter {
  return new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_MS });
}

/** Says that spans are lost, at most once a minute and without quoting the collector. */
function watched(exporter: SpanExporter, log: Logger): SpanExporter {
  let complained = -Infinity;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.code !== 0 && now - complained >= COMPLAIN_EVERY_MS) {
          complained = now;
          const { code, name } = (result.error ?? {}) as { code?: unknown; name?: unknown };
          const fault = String(code ?? name ?? 'unknown');
          log.warn({ fault, spans: spans.length }, 'the trace collector did not take spans');
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    ...(exporter.forceFlush === undefined
      ? {}
      : { forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve() }),
  };
}

/** A decision made for a trace id of our own is not made again for the caller's. */
function exceptDecided(sampler: Sampler): Sampler {
  return {
    shouldSample: (context, ...about) =>
      context.getValue(IS_SAMPLED) === true
        ? { decision: SamplingDecision.RECORD_AND_SAMPLED }
        : sampler.shouldSample(context, ...about),
    toString: () => sampler.toString(),
  };
}

export function samplerOf({ sampler, ratio }: Pick<TracingOptions, 'sampler' | 'ratio'>): Sampler {
  const name = sampler.replace('parentbased_', '');
  const root =
    name === 'always_on'
      ? new AlwaysOnSampler()
      : name === 'always_off'
        ? new AlwaysOffSampler()
        : new TraceIdRatioBasedSampler(ratio);
  return name === sampler ? root : new ParentBasedSampler({ root });
}

function passed(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
