import { loadConfig } from '@countersign/platform';
import type { Logger } from '@countersign/platform';
import type { Tracing } from '@countersign/platform/tracing';
import { z } from 'zod';
import { HEADERS, headersOf } from './headers-setting.js';

/** Of OpenTelemetry's specification. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/** Named and meant as OpenTelemetry does. */
export const TRACING = {
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'console', 'none'])
    .optional()
    .describe('otlp, console or none; otlp when a collector is named, else none'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('the address of a trace collector for OTLP over HTTP, such as http://collector:4318'),
  OTEL_EXPORTER_OTLP_HEADERS: HEADERS.optional().describe(
    'name=value,name=value: headers for the collector, such as its credentials',
  ),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS)
    .default('parentbased_traceidratio')
    .describe(SAMPLERS.join(', ')),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d+)?|1(\.0+)?)$/, 'expected a number from 0 to 1')
    .transform(Number)
    .default(1)
    .describe('the traced share of calls without a sampling decision, from 0 to 1'),
  OTEL_SERVICE_NAME: z
    .string()
    .optional()
    .describe('the name of this process in traces; countersign-<target> by default'),
} as const;

/**
 * Switches tracing on where it is asked for (docs/tracing.md), before anything is assembled that could be traced. The SDK
 * is loaded only then: without it tracing costs neither memory nor time.
 */
export async function startTracingOf(
  env: NodeJS.ProcessEnv,
  name: string,
  log: Logger,
): Promise<Tracing | null> {
  const config = loadConfig(TRACING, env);
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: wanted } = config;
  const exporter = wanted ?? (endpoint === undefined ? 'none' : 'otlp');
  if (exporter === 'none') return null;
  const { startTracing } = await import('@countersign/platform/tracing');
  return startTracing({
    exporter,
    url: `${(endpoint ?? LOCAL_COLLECTOR).replace(/\/$/, '')}/v1/traces`,
    headers: headersOf(config.OTEL_EXPORTER_OTLP_HEADERS),
    sampler: config.OTEL_TRACES_SAMPLER,
    ratio: config.OTEL_TRACES_SAMPLER_ARG,
    serviceName: config.OTEL_SERVICE_NAME ?? `countersign-${name}`,
    log,
  });
}

/** OpenTelemetry's own default. */
const LOCAL_COLLECTOR = 'http://localhost:4318';
