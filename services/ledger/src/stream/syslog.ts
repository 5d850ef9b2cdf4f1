import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { SecurityEvent } from '@countersign/protocol';
import type { StreamedEntry } from '../store/security-stream.js';
import { SEND_MS, SinkUnavailable, faultOf, lineOf } from './sink.js';
import type { CollectorTls, Sink } from './sink.js';

export interface SyslogSettings extends CollectorTls {
  /** The name that the collector's certificate has to be for. */
  readonly host: string;
  readonly port: number;
  /** Which host the messages are from. */
  readonly hostname: string;
}

/** Facility 13 (log audit), severity 6 (informational). */
const PRIORITY = 13 * 8 + 6;

/**
 * Syslog messages (RFC 5424) over TLS (RFC 5425). The protocol has no acknowledgement, so each batch has a connection of
 * its own, which this side closes: a collector that closes it in turn has read everything, and one that breaks it has not.
 */
export function syslogSink(settings: SyslogSettings): Sink {
  return {
    name: 'syslog',
    async send(entries) {
      await deliver(settings, entries.map((entry) => frame(settings.hostname, entry)).join(''));
      return { refused: 0 };
    },
  };
}

/** One message behind its length in bytes (RFC 5425 §4.3). */
export function frame(hostname: string, streamed: StreamedEntry): string {
  const { kind, time } = JSON.parse(streamed.entry) as SecurityEvent;
  const header = `<${PRIORITY}>1 ${time} ${hostname} countersign - ${kind} -`;
  const message = `${header} ${lineOf(streamed)}`;
  return `${Buffer.byteLength(message)} ${message}`;
}

async function deliver(settings: SyslogSettings, text: string): Promise<void> {
  const { host, port, ca, cert, key } = settings;
  const socket = connect({
    ...{ host, port, ca, cert, key, minVersion: 'TLSv1.2' },
    // RFC 6066 allows no address here; the certificate is compared with the host in any case.
    ...(isIP(host) === 0 ? { servername: host } : {}),
  });
  const timer = setTimeout(
    () => socket.destroy(new SinkUnavailable('it did not take everything in time')),
    SEND_MS,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      let inTurn = false;
      socket.once('error', reject);
      socket.once('secureConnect', () => socket.end(text));
      socket.once('end', () => {
        inTurn = socket.writableFinished;
      });
      socket.once('close', () => {
        if (inTurn) resolve();
        else reject(new SinkUnavailable('it ended the connection too early'));
      });
      // Only a reader sees the end of the other side.
      socket.resume();
    });
  } catch (error) {
    throw error instanceof SinkUnavailable ? error : new SinkUnavailable(faultOf(error));
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}
