import { pino } from 'pino';
import type { DestinationStream, Logger } from 'pino';
import { describeError } from './log-error.js';
import { currentTrace } from './telemetry.js';

export type { Logger } from 'pino';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

export interface LogOptions {
  /** Which process or service writes. */
  name: string;
  level?: LogLevel;
  /** Standard output when not given. */
  destination?: DestinationStream;
}

/** Members that carry secrets or private material, at the top or one level down. */
const PRIVATE = [
  'authorization',
  'body',
  'caller',
  'client_secret',
  'cookie',
  'cookies',
  'csrf',
  'document',
  'headers',
  'html',
  'password',
  'payload',
  'privateKey',
  'response',
  'secret',
  'token',
  'webhook_secret',
];

/**
 * A logger of JSON lines with the trace id of the current call. Members named after secrets or private material are
 * replaced, and errors are reduced to parts that cannot quote any (see log-error.ts). Times are ISO 8601.
 */
export function createLogger({ name, level = 'info', destination }: LogOptions): Logger {
  const options = {
    name,
    level,
    base: { name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    mixin: () => {
      const trace = currentTrace();
      return trace === undefined ? {} : { trace: trace.traceId };
    },
    redact: { paths: PRIVATE.flatMap((member) => [member, `*.${member}`]), censor: '[private]' },
    serializers: { err: describeError, error: describeError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
