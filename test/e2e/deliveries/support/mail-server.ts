import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { TestCertificate } from './certificate.js';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** As it came over the wire. */
  readonly raw: string;
  readonly user: string | null;
  readonly secure: boolean;
}

/** The server's reaction to a complete mail; `silent` = it never answers. */
export type Taking = 'accept' | 'refuse' | 'silent';

export interface MailServer {
  readonly port: number;
  /** The accepted mails, in order. */
  readonly mails: ReceivedMail[];
  /** The number of mails that came, accepted or not. */
  offered(): number;
  take(how: Taking): void;
  mailsTo(address: string): ReceivedMail[];
  close(): Promise<void>;
}

export interface MailServerOptions {
  readonly certificate: TestCertificate;
  /** TLS from the first byte. */
  readonly secure?: boolean;
  readonly offersStartTls?: boolean;
  readonly credentials?: { readonly user: string; readonly pass: string };
}

/** A real SMTP server that keeps accepted mails. */
export async function startMailServer(options: MailServerOptions): Promise<MailServer> {
  const { certificate, credentials, offersStartTls = false } = options;
  const mails: ReceivedMail[] = [];
  let offered = 0;
  let taking: Taking = 'accept';
  const disabled = [
    ...(offersStartTls ? [] : ['STARTTLS']),
    ...(credentials === undefined ? ['AUTH'] : []),
  ];
  const server = new SMTPServer({
    ...certificate,
    secure: options.secure === true,
    disabledCommands: disabled,
    authOptional: credentials === undefined,
    onAuth(auth, _session, done) {
      const right = auth.username === credentials?.user && auth.password === credentials?.pass;
      if (right) done(null, { user: auth.username ?? '' });
      else done(new Error('wrong credentials'));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        offered += 1;
        if (taking === 'silent') return;
        if (taking === 'refuse') return done(new Error('not now'));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          user: session.user === undefined ? null : String(session.user),
          secure: session.secure,
        });
        done();
      });
    },
    logger: false,
  });
  server.on('error', () => {});
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  return {
    port: (server.server.address() as AddressInfo).port,
    mails,
    offered: () => offered,
    take: (how) => void (taking = how),
    mailsTo: (address) => mails.filter(({ to }) => to.includes(address)),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

export interface ReadMail {
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly html: string;
}

/** The parts of a multipart/alternative mail, decoded. */
export function readMail({ raw }: ReceivedMail): ReadMail {
  const { headers, body } = splitPart(raw);
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? '';
  const parts = body
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => splitPart(part.replace(/^\r\n/, '')));
  const partOf = (type: string): string => {
    const part = parts.find(({ headers: own }) => own['content-type']?.startsWith(type));
    return part === undefined ? '' : decoded(part);
  };
  return { headers, text: partOf('text/plain'), html: partOf('text/html') };
}

interface Part {
  readonly headers: Record<string, string>;
  readonly body: string;
}

function splitPart(text: string): Part {
  const end = text.indexOf('\r\n\r\n');
  const lines = text
    .slice(0, end)
    .replace(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = lines.map((line) => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  return {
    headers: Object.fromEntries(headers) as Record<string, string>,
    body: text.slice(end + 4),
  };
}

function decoded({ headers, body }: Part): string {
  const coding = headers['content-transfer-encoding'];
  const bytes =
    coding === 'base64'
      ? Buffer.from(body, 'base64')
      : coding === 'quoted-printable'
        ? Buffer.from(
            body
              .replace(/=\r\n/g, '')
              .replace(/=([0-9A-F]{2})/g, (_all, hex: string) =>
                String.fromCharCode(Number.parseInt(hex, 16)),
              ),
            'latin1',
          )
        : Buffer.from(body, 'utf8');
  return bytes.toString('utf8').replaceAll('\r\n', '\n').replace(/\n+$/, '\n');
}
