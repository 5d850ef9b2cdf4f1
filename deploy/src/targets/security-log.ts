import {
  SecurityStreamStore,
  fileSink,
  otlpSink,
  securityStreamFigures,
  securityStreamModule,
  stdoutSink,
  syslogSink,
} from '@countersign/ledger';
import type { Sink } from '@countersign/ledger';
import type { Assembly } from '../assembly.js';
import { SECURITY_STREAM, securityStreamSettings } from '../security-settings.js';
import type { SecurityStreamSettings } from '../security-settings.js';
import type { Shared } from '../shared.js';

/** Sends the security log to collectors, where any are named. */
export const securityLog: Assembly<Shared> = {
  settings: [SECURITY_STREAM],
  async build(shared) {
    const { config, env, log, metrics } = shared;
    const settings = securityStreamSettings(env, config.MODE);
    const sinks = sinksOf(settings, config.ORIGIN);
    if (sinks.length === 0) return [];
    const store = new SecurityStreamStore(shared.pool('security-log'));
    securityStreamFigures(
      metrics,
      log,
      store,
      sinks.map(({ name }) => name),
    );
    const monotonicMs = (): number => performance.now();
    return [securityStreamModule({ store, sinks, bounds: settings.bounds, log, monotonicMs })];
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
