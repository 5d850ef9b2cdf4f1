import {
  SecurityStreamStore,
  fileSink,
  otlpSink,
  securityStreamMetrics,
  securityStreamModule,
  stdoutSink,
  syslogSink,
} from '@countersign/ledger';
import type { Sink } from '@countersign/ledger';
import type { Assembly } from '../assembly.js';
import { SECURITY_STREAM, securityStreamSettings } from '../security-settings.js';
import type { SecurityStreamSettings } from '../security-settings.js';
import type { ProcessContext } from '../process-context.js';

/** Sends the security log to collectors, where any are named. */
export const securityLog: Assembly<ProcessContext> = {
  settings: [SECURITY_STREAM],
  async build(context) {
    const { config, env, log, metrics } = context;
    const settings = securityStreamSettings(env, config.MODE);
    const sinks = sinksOf(settings, config.ORIGIN);
    if (sinks.length === 0) return [];
    const store = new SecurityStreamStore(context.pool('security-log'));
    securityStreamMetrics(
      metrics,
      log,
      store,
      sinks.map(({ name }) => name),
    );
    return [securityStreamModule({ store, sinks, bounds: settings.bounds, log })];
  },
};

function sinksOf({ lines, otlp, syslog, tls }: SecurityStreamSettings, origin: string): Sink[] {
  return [
    ...(lines === null ? [] : [lines === 'stdout' ? stdoutSink() : fileSink(lines)]),
    ...(otlp === null ? [] : [otlpSink({ ...otlp, ...tls, origin })]),
    ...(syslog === null
      ? []
      : [syslogSink({ ...syslog, ...tls, hostname: new URL(origin).hostname })]),
  ];
}
