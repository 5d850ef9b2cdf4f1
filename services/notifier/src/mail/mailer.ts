import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import { SECONDS } from '@countersign/protocol';
import type { MailMessage } from './message.js';

export interface MailerOptions {
  /** `smtps://user:password@host:port`, or `smtp://` for STARTTLS. */
  readonly url: string;
  /** The sender, as a mail header has it. */
  readonly from: string;
  /** Whether a server without TLS is refused: always in production. Certificates are checked in any case. */
  readonly requireTls: boolean;
  /** Over everything from the look-up to the server's acceptance; 10 s when not given. */
  readonly deadlineMs?: number;
  /** Certificate authorities beside those of Node, in PEM form. */
  readonly ca?: string;
}

export interface OutgoingMail extends MailMessage {
  readonly to: string;
  /** The same for every attempt, so that a duplicate can be recognised. */
  readonly messageId: string;
  readonly date: Date;
}

/**
 * Rejects with a {@link MailTimeout} when it is unknown whether the mail was accepted, else with why it was not. `signal`
 * ends it before its deadline.
 */
export type SendMail = (mail: OutgoingMail, signal?: AbortSignal) => Promise<void>;

export class MailTimeout extends Error {
  override readonly name = 'MailTimeout';
}

interface Server {
  readonly options: ConstructorParameters<typeof SMTPConnection>[0];
  readonly credentials: { user: string; pass: string } | null;
}

/** Protocol §11.6: one connection per mail, which ends with the deadline in any case. */
export function smtpMailer(options: MailerOptions): SendMail {
  const { deadlineMs = SECONDS.deliveryAttempt * 1000 } = options;
  const server = serverOf(options, deadlineMs);
  return async (mail, signal) => {
    const composed = new MailComposer({
      from: options.from,
      to: { name: '', address: mail.to },
      subject: mail.subject,
      messageId: mail.messageId,
      date: mail.date,
      text: mail.text,
      html: mail.html,
      // No answer by a machine is wanted (RFC 3834).
      headers: { 'Auto-Submitted': 'auto-generated' },
      disableFileAccess: true,
      disableUrlAccess: true,
    }).compile();
    const message = await composed.build();
    const envelope = { from: composed.getEnvelope().from, to: [mail.to] };
    const connection = new SMTPConnection(server.options);
    let end: (why: string) => void = () => {};
    const ended = new Promise<never>((_resolve, reject) => {
      end = (why) => reject(new MailTimeout(why));
    });
    const timer = setTimeout(() => end('the deadline has passed'), deadlineMs);
    const stopped = (): void => end('the sender stops');
    signal?.addEventListener('abort', stopped, { once: true });
    if (signal?.aborted === true) stopped();
    try {
      await Promise.race([handOver(connection, server.credentials, envelope, message), ended]);
    } catch (error) {
      connection.close();
      if ((error as { code?: string }).code !== 'ETIMEDOUT') throw error;
      throw new MailTimeout('the mail server does not answer', { cause: error });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stopped);
    }
    // The mail is accepted: leaving politely is worth a second, and no failure.
    connection.quit();
    setTimeout(() => connection.close(), 1000).unref();
  };
}

function serverOf({ url, requireTls, ca }: MailerOptions, deadlineMs: number): Server {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const options = {
    host: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port: Number(port) }),
    secure,
    requireTLS: requireTls && !secure,
    tls: { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    dnsTimeout: deadlineMs,
    connectionTimeout: deadlineMs,
    greetingTimeout: deadlineMs,
    socketTimeout: deadlineMs,
    socketCloseTimeout: 0,
    logger: false,
  };
  const credentials =
    username === ''
      ? null
      : { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return { options, credentials };
}

function handOver(
  connection: SMTPConnection,
  credentials: Server['credentials'],
  envelope: { from: string | false; to: string[] },
  message: Buffer,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = (): void =>
      connection.send(envelope, message, (error) => (error ? reject(error) : resolve()));
    connection.on('error', reject);
    connection.once('end', () => reject(new Error('the mail server closed the connection')));
    connection.connect((error) => {
      if (error) return reject(error);
      if (credentials === null) return send();
      connection.login(credentials, (refused) => (refused ? reject(refused) : send()));
    });
  });
}
