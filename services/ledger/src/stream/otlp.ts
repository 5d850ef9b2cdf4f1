import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isJsonObject } from '@countersign/protocol';
import type { SecurityEvent } from '@countersign/protocol';
import type { StreamedEntry } from '../store/security-stream.js';
import { SEND_MS, SinkUnavailable, faultOf } from './sink.js';
import type { CollectorTls, Sink } from './sink.js';

export interface OtlpSettings extends CollectorTls {
  /** Where the collector takes logs, such as https://collector:4318/v1/logs. */
  readonly url: string;
  /** Sent with each request, such as credentials. */
  readonly headers: Readonly<Record<string, string>>;
  /** The resource that the log is of. */
  readonly origin: string;
}

/** Answers are small; a larger one is invalid. */
const LARGEST_ANSWER = 65_536;
/** INFO of OpenTelemetry's log data model. */
const INFO = { severityNumber: 9, severityText: 'INFO' };

/** OTLP logs over HTTP, in JSON (opentelemetry.io/docs/specs/otlp). */
export function otlpSink(settings: OtlpSettings): Sink {
  return {
    name: 'otlp',
    async send(entries) {
      const { status, retryAfter, text } = await post(settings, otlpLogs(settings.origin, entries));
      if (status < 200 || status >= 300) {
        throw new SinkUnavailable(`it answered ${status}`, retryAfterMs(retryAfter));
      }
      return { refused: Math.min(refusedIn(text), entries.length) };
    },
  };
}

/** The message: one log record for each entry, whose `log.record.uid` is the same whenever it is sent. */
export function otlpLogs(origin: string, entries: readonly StreamedEntry[]): string {
  return JSON.stringify({
    resourceLogs: [
      {
        resource: {
          attributes: attributes({ 'service.name': 'countersign', 'countersign.origin': origin }),
        },
        scopeLogs: [
          { scope: { name: 'countersign.security_log' }, logRecords: entries.map(recordOf) },
        ],
      },
    ],
  });
}

function recordOf(streamed: StreamedEntry): object {
  const { entry, head, ledger_id, previous_head, sequence, tenant } = streamed;
  const { actor, kind, request_id, source, subject, time } = JSON.parse(entry) as SecurityEvent;
  const nanoseconds = `${Date.parse(time)}000000`;
  return {
    timeUnixNano: nanoseconds,
    observedTimeUnixNano: nanoseconds,
    ...INFO,
    eventName: kind,
    body: { stringValue: entry },
    attributes: attributes({
      'log.record.uid': head,
      'countersign.kind': kind,
      'countersign.source': source,
      'countersign.tenant': tenant,
      'countersign.actor.id': actor?.id,
      'countersign.actor.kind': actor?.kind,
      'countersign.subject': subject,
      'countersign.request_id': request_id,
      'countersign.ledger_id': ledger_id,
      'countersign.sequence': sequence,
      'countersign.head': head,
      'countersign.previous_head': previous_head,
    }),
  };
}

function attributes(values: Readonly<Record<string, string | number | null | undefined>>) {
  return Object.entries(values).flatMap(([key, value]) => {
    if (value === null || value === undefined) return [];
    // 64-bit numbers are texts in OTLP's JSON.
    return {
      key,
      value: typeof value === 'number' ? { intValue: `${value}` } : { stringValue: value },
    };
  });
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

async function post(settings: OtlpSettings, body: string): Promise<Answer> {
  const { url, headers, ca, cert, key } = settings;
  const signal = AbortSignal.timeout(SEND_MS);
  try {
    return await new Promise<Answer>((resolve, reject) => {
      const request = url.startsWith('https:') ? httpsRequest : httpRequest;
      const call = request(url, {
        ...{ method: 'POST', signal, ca, cert, key },
        headers: {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(body),
          ...headers,
        },
      });
      call.once('error', reject);
      call.once('response', (response) => void answerOf(response).then(resolve, reject));
      call.end(body);
    });
  } catch (error) {
    throw new SinkUnavailable(signal.aborted ? 'it did not answer in time' : faultOf(error));
  }
}

async function answerOf(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    size += (chunk as Buffer).length;
    if (size > LARGEST_ANSWER) throw new SinkUnavailable('its answer is too large');
    chunks.push(chunk as Buffer);
  }
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'],
    text: Buffer.concat(chunks).toString(),
  };
}

/** Records of an accepted message that the collector does not keep: they must not be sent again. */
function refusedIn(text: string): number {
  try {
    const answer: unknown = JSON.parse(text);
    const partial = isJsonObject(answer) ? answer['partialSuccess'] : null;
    const refused = Number(isJsonObject(partial) ? partial['rejectedLogRecords'] : 0);
    return Number.isSafeInteger(refused) && refused > 0 ? refused : 0;
  } catch {
    return 0;
  }
}

function retryAfterMs(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) * 1000 : null;
}
