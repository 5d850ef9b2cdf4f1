import { createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { once } from 'node:events';
import { MailTimeout, smtpMailer } from '@countersign/notifier';
import type { MailerOptions, OutgoingMail } from '@countersign/notifier';
import { until } from '../../support/requests.js';
import { selfSigned } from './support/certificate.js';
import { readMail, startMailServer } from './support/mail-server.js';
import type { MailServer, MailServerOptions } from './support/mail-server.js';

/** The mailer against real servers: protocol §11.6. */
const certificate = selfSigned(['localhost']);
const stranger = selfSigned(['localhost']);
const credentials = { user: 'reviews@example.org', pass: 'p/ä s' };
const opened: MailServer[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((server) => server.close()));
});

async function open(options: Partial<MailServerOptions> = {}): Promise<MailServer> {
  const server = await startMailServer({ certificate, ...options });
  opened.push(server);
  return server;
}

function mailer(port: number, changes: Partial<MailerOptions> & { scheme?: string } = {}) {
  const { scheme = 'smtp', ...options } = changes;
  return smtpMailer({
    url: `${scheme}://localhost:${port}`,
    from: 'Countersign <reviews@example.org>',
    requireTls: false,
    ca: certificate.cert,
    ...options,
  });
}

const MAIL: OutgoingMail = {
  to: 'ruth@example.org',
  subject: 'A review is waiting for you',
  text: 'Summary: déjà vu — ✓\n\nhttps://review.example/review/1\n.\n',
  html: '<p>déjà vu — ✓</p>\n',
  messageId: '<1@review.example>',
  date: new Date('2026-05-01T09:00:00.000Z'),
};

/** `timeout` when it is unknown whether the mail was accepted. */
async function faultOf(sending: Promise<void>): Promise<string | null> {
  try {
    await sending;
    return null;
  } catch (error) {
    return error instanceof MailTimeout ? 'timeout' : String((error as { code?: string }).code);
  }
}

it('hands over plain text and HTML, to one recipient', async () => {
  const server = await open();
  expect(await faultOf(mailer(server.port)(MAIL))).toBeNull();
  expect(server.mails).toHaveLength(1);
  const [mail] = server.mails;
  expect(mail).toMatchObject({ from: 'reviews@example.org', to: ['ruth@example.org'] });
  const { headers, text, html } = readMail(mail!);
  expect(text).toBe(MAIL.text);
  expect(html).toBe(MAIL.html);
  expect(headers).toMatchObject({
    from: 'Countersign <reviews@example.org>',
    to: 'ruth@example.org',
    subject: MAIL.subject,
    'message-id': MAIL.messageId,
    date: 'Fri, 01 May 2026 09:00:00 +0000',
    'auto-submitted': 'auto-generated',
  });
});

it('says that a mail was refused, and can send the next', async () => {
  const server = await open();
  server.take('refuse');
  expect(await faultOf(mailer(server.port)(MAIL))).toBe('EMESSAGE');
  server.take('accept');
  expect(await faultOf(mailer(server.port)(MAIL))).toBeNull();
  expect(server.mails).toHaveLength(1);
});

it('sends to no other recipient, for any content of an address', async () => {
  const server = await open();
  const send = mailer(server.port);
  for (const to of ['a@example.org>\r\nRCPT TO:<b@example.org', 'a@example.org,b@example.org']) {
    await faultOf(send({ ...MAIL, to }));
  }
  expect(server.mails.flatMap(({ to }) => to)).not.toContain('b@example.org');
});

describe('TLS', () => {
  const secured = { requireTls: true };

  it('begins with STARTTLS where it is required, and then logs in', async () => {
    const server = await open({ offersStartTls: true, credentials });
    const url = `smtp://${encodeURIComponent(credentials.user)}:${encodeURIComponent(credentials.pass)}@localhost:${server.port}`;
    expect(await faultOf(mailer(server.port, { ...secured, url })(MAIL))).toBeNull();
    expect(server.mails[0]).toMatchObject({ secure: true, user: credentials.user });
  });

  it('begins with the first byte of smtps', async () => {
    const server = await open({ secure: true });
    expect(await faultOf(mailer(server.port, { ...secured, scheme: 'smtps' })(MAIL))).toBeNull();
    expect(server.mails[0]).toMatchObject({ secure: true });
  });

  it('is not done without where it is required', async () => {
    const server = await open({ offersStartTls: false });
    expect(await faultOf(mailer(server.port, secured)(MAIL))).toBe('ETLS');
    expect(server.offered()).toBe(0);
  });

  it.each([
    ['smtps', { secure: true }, 'smtps'],
    ['STARTTLS', { offersStartTls: true }, 'smtp'],
  ])('wants a certificate that is trusted: %s', async (_what, options, scheme) => {
    const server = await open(options);
    const ca = stranger.cert;
    expect(await faultOf(mailer(server.port, { ...secured, scheme, ca })(MAIL))).not.toBeNull();
    // Neither does development take any certificate.
    expect(await faultOf(mailer(server.port, { scheme, ca })(MAIL))).not.toBeNull();
    expect(server.offered()).toBe(0);
  });

  it('wants a certificate for the name of the server', async () => {
    const other = selfSigned(['mail.example']);
    const server = await open({ certificate: other, secure: true });
    const options = { ...secured, scheme: 'smtps', ca: other.cert };
    expect(await faultOf(mailer(server.port, options)(MAIL))).not.toBeNull();
    expect(server.offered()).toBe(0);
  });

  it('gives no password to a server that cannot be trusted', async () => {
    const server = await open({ offersStartTls: false, credentials });
    const url = `smtp://user:pass@localhost:${server.port}`;
    expect(await faultOf(mailer(server.port, { ...secured, url })(MAIL))).toBe('ETLS');
  });
});

describe('the deadline', () => {
  const hasty = { deadlineMs: 300 };

  it('ends a server that takes a mail and never answers, acceptance unknown', async () => {
    const server = await open();
    server.take('silent');
    const start = performance.now();
    expect(await faultOf(mailer(server.port, hasty)(MAIL))).toBe('timeout');
    expect(performance.now() - start).toBeLessThan(2000);
    expect(server.offered()).toBe(1);
  });

  describe('over a bare connection', () => {
    let bare: Server;
    let onConnection: (socket: Socket) => void;
    let open: Socket[] = [];
    beforeEach(async () => {
      bare = createServer((socket) => {
        open.push(socket);
        socket.resume();
        socket.on('error', () => {});
        socket.once('close', () => (open = open.filter((other) => other !== socket)));
        onConnection(socket);
      });
      bare.listen(0, '127.0.0.1');
      await once(bare, 'listening');
    });
    afterEach(() => {
      bare.close();
    });
    const portOf = () => (bare.address() as AddressInfo).port;

    it.each([
      ['accepts and says nothing', (_socket: Socket) => {}],
      [
        'greets by drips',
        (socket: Socket) => {
          const timer = setInterval(() => socket.write('220-still here\r\n'), 20);
          socket.once('close', () => clearInterval(timer));
        },
      ],
      ['greets and hangs', (socket: Socket) => void socket.write('220 hello\r\n')],
    ])('ends one that %s, and leaves no connection behind', async (_what, behaviour) => {
      onConnection = behaviour;
      expect(await faultOf(mailer(portOf(), hasty)(MAIL))).toBe('timeout');
      await until(
        async () => open.length,
        (count) => count === 0,
      );
    });

    it('does not take a closed connection for a timeout', async () => {
      onConnection = (socket) => socket.end('421 go away\r\n');
      const fault = await faultOf(mailer(portOf(), hasty)(MAIL));
      expect(fault).not.toBeNull();
      expect(fault).not.toBe('timeout');
    });
  });

  it('comes early for a sender that stops, acceptance unknown', async () => {
    const server = await open();
    server.take('silent');
    const stop = new AbortController();
    const sending = mailer(server.port)(MAIL, stop.signal);
    await until(
      async () => server.offered(),
      (count) => count === 1,
    );
    stop.abort();
    expect(await faultOf(sending)).toBe('timeout');
  });

  it('does not take a server that is away for a timeout', async () => {
    const server = await open();
    await server.close();
    opened.length = 0;
    const fault = await faultOf(mailer(server.port)(MAIL));
    expect(fault).not.toBeNull();
    expect(fault).not.toBe('timeout');
  });
});
