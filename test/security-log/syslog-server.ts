import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import type { TLSSocket } from 'node:tls';

/** A message of RFC 5424. */
export interface SyslogMessage {
  readonly facility: number;
  readonly severity: number;
  readonly version: string;
  readonly timestamp: string;
  readonly hostname: string;
  readonly appName: string;
  readonly procId: string;
  readonly msgId: string;
  readonly structuredData: string;
  readonly text: string;
}

/** A collector that takes syslog over TLS (RFC 5425) and reads every frame strictly. */
export interface SyslogServer {
  readonly port: number;
  readonly messages: SyslogMessage[];
  /** Messages that it could not read; none, when senders are right. */
  readonly faults: string[];
  /** Subjects of the certificates that senders have shown. */
  readonly shown: string[];
  /** Breaks the next connection as soon as part of a frame has come. */
  breakNext(): void;
  /** How many connections were broken so. */
  broken(): number;
  close(): Promise<void>;
}

export interface SyslogServerOptions {
  readonly cert: string;
  readonly key: string;
  /** Authority of the certificates that it asks senders for; none: it asks for none. */
  readonly senders?: string;
}

export async function startSyslogServer(options: SyslogServerOptions): Promise<SyslogServer> {
  const messages: SyslogMessage[] = [];
  const faults: string[] = [];
  const shown: string[] = [];
  const sockets = new Set<TLSSocket>();
  let breaks = 0;
  let broken = 0;
  const { cert, key, senders } = options;
  const server = createServer(
    {
      ...{ cert, key },
      ...(senders === undefined
        ? {}
        : { ca: senders, requestCert: true, rejectUnauthorized: true }),
    },
    (socket) => {
      sockets.add(socket);
      const subject = socket.getPeerCertificate().subject?.CN;
      if (subject !== undefined) shown.push(String(subject));
      let rest: Buffer = Buffer.alloc(0);
      socket.on('data', (chunk: Buffer) => {
        if (breaks > 0) {
          breaks -= 1;
          broken += 1;
          // The first frame counts, and the second is cut off in its middle.
          const first = takeFrames(chunk).frames.slice(0, 1);
          for (const frame of first) take(frame);
          socket.destroy();
          return;
        }
        const read = takeFrames(Buffer.concat([rest, chunk]));
        rest = read.rest;
        for (const frame of read.frames) take(frame);
      });
      socket.on('end', () => {
        if (rest.length > 0) faults.push(`cut off: ${rest.toString().slice(0, 80)}`);
      });
      socket.on('error', () => {});
      socket.once('close', () => sockets.delete(socket));
    },
  );
  server.on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  function take(frame: Buffer): void {
    const message = messageIn(frame.toString('utf8'));
    if (message === null) faults.push(frame.toString().slice(0, 80));
    else messages.push(message);
  }

  return {
    port: (server.address() as AddressInfo).port,
    messages,
    faults,
    shown,
    breakNext: () => {
      breaks += 1;
    },
    broken: () => broken,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** `MSG-LEN SP SYSLOG-MSG`, the length in bytes and without a leading zero. */
function takeFrames(bytes: Buffer): { frames: Buffer[]; rest: Buffer } {
  const frames: Buffer[] = [];
  let rest = bytes;
  for (;;) {
    const [prefix, digits] = /^([1-9]\d{0,8}) /.exec(rest.toString('latin1', 0, 12)) ?? [];
    if (prefix === undefined) return { frames, rest };
    const end = prefix.length + Number(digits);
    if (rest.length < end) return { frames, rest };
    frames.push(rest.subarray(prefix.length, end));
    rest = rest.subarray(end);
  }
}

const HEADER =
  /^<(\d{1,3})>(\d{1,2}) (\S+) ([\x21-\x7e]{1,255}) ([\x21-\x7e]{1,48}) ([\x21-\x7e]{1,128}) ([\x21-\x7e]{1,32}) (-|(?:\[[^\]]+\])+)(?: (.*))?$/s;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-]\d\d:\d\d)$/;

function messageIn(text: string): SyslogMessage | null {
  const found = HEADER.exec(text);
  if (found === null) return null;
  const [, priority, version, timestamp, hostname, appName, procId, msgId, structuredData, rest] =
    found as unknown as string[];
  if (Number(priority) > 191 || !TIME.test(timestamp as string)) return null;
  return {
    facility: Number(priority) >> 3,
    severity: Number(priority) & 7,
    version: version as string,
    timestamp: timestamp as string,
    hostname: hostname as string,
    appName: appName as string,
    procId: procId as string,
    msgId: msgId as string,
    structuredData: structuredData as string,
    text: rest ?? '',
  };
}
