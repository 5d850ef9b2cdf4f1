import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { once } from 'node:events';
import {
  WebhookFailure,
  isPublicAddress,
  nameServerResolve,
  systemResolve,
  webhookSender,
} from '@countersign/notifier';
import type { Resolve, SenderOptions } from '@countersign/notifier';
import { until } from '../../support/requests.js';
import { selfSigned } from './support/certificate.js';
import { startNameServer } from './support/name-server.js';
import { startReceiver } from './support/receiver.js';
import type { Receiver } from './support/receiver.js';

/** The sender against real servers: protocol §11.5 line by line. */
const HOST = 'hooks.test';
const certificate = selfSigned([HOST, 'localhost', '127.0.0.1']);
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver(certificate);
});
afterAll(() => receiver.close());
beforeEach(() => {
  receiver.received.length = 0;
});

const here: Resolve = async () => ['127.0.0.1'];

function sender(changes: Partial<SenderOptions> = {}) {
  return webhookSender({
    rules: { hosts: [HOST, 'localhost', '127.0.0.1', 'other.test'], anyPort: true },
    resolve: here,
    isAllowed: () => true,
    ca: certificate.cert,
    ...changes,
  });
}

const to = (path: string, host = HOST) => receiver.url(path, host);

async function faultOf(sending: Promise<void>): Promise<unknown> {
  try {
    await sending;
    return null;
  } catch (error) {
    return error instanceof WebhookFailure ? error.message : (error as { code?: string }).code;
  }
}

it('posts the body as it is, with these headers and no others', async () => {
  await sender()(to('/ok?a=b'), { 'webhook-id': 'x' }, '{"a":"é"}');
  const [got] = receiver.received;
  expect(got).toMatchObject({ method: 'POST', path: '/ok?a=b' });
  expect(got?.body.equals(Buffer.from('{"a":"é"}'))).toBe(true);
  expect(got?.rawHeaders).toEqual([
    'Host',
    `${HOST}:${receiver.port}`,
    'Content-Type',
    'application/json',
    'Content-Length',
    '10',
    'webhook-id',
    'x',
    'Connection',
    'close',
  ]);
});

it.each([200, 201, 202, 204, 226, 299])('takes %i for a success', async (status) => {
  receiver.answer(`/status/${status}`, (response) => void response.writeHead(status).end());
  expect(await faultOf(sender()(to(`/status/${status}`), {}, '{}'))).toBeNull();
});

it.each([300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503])(
  'takes %i for a failure and goes nowhere else',
  async (status) => {
    receiver.answer(`/status/${status}`, (response) => {
      response.writeHead(status, { location: to('/elsewhere') }).end();
    });
    expect(await faultOf(sender()(to(`/status/${status}`), {}, '{}'))).toBe(
      `the answer was ${status}`,
    );
    expect(receiver.received.map(({ path }) => path)).toEqual([`/status/${status}`]);
  },
);

it('does not wait for the body of an answer, and closes the connection', async () => {
  let ended = false;
  receiver.answer('/endless', (response) => {
    response.on('close', () => (ended = true));
    response.writeHead(200);
    response.write('a'.repeat(1_000_000));
  });
  expect(await faultOf(sender()(to('/endless'), {}, '{}'))).toBeNull();
  await until(
    async () => ended,
    (done) => done,
  );
});

describe('the deadline', () => {
  const hasty = (changes: Partial<SenderOptions> = {}) => sender({ deadlineMs: 300, ...changes });
  const TOO_LATE = 'the deadline has passed';

  async function timed(sending: Promise<void>): Promise<[unknown, number]> {
    const start = performance.now();
    const fault = await faultOf(sending);
    return [fault, performance.now() - start];
  }

  it('ends a receiver that hangs', async () => {
    receiver.answer('/hang', () => {});
    const [fault, ms] = await timed(hasty()(to('/hang'), {}, '{}'));
    expect(fault).toBe(TOO_LATE);
    expect(ms).toBeLessThan(2000);
  });

  it('ends a receiver that answers 2xx too late', async () => {
    receiver.answer('/late', async (response) => {
      await new Promise((resume) => response.once('close', resume));
      response.writeHead(200).end();
    });
    expect(await faultOf(hasty()(to('/late'), {}, '{}'))).toBe(TOO_LATE);
  });

  it('ends a receiver that sends interim answers for ever', async () => {
    receiver.answer('/interim', (response) => {
      const timer = setInterval(() => response.writeProcessing(), 20);
      response.once('close', () => clearInterval(timer));
    });
    const [fault, ms] = await timed(hasty()(to('/interim'), {}, '{}'));
    expect(fault).toBe(TOO_LATE);
    expect(ms).toBeLessThan(2000);
  });

  describe('over a bare connection', () => {
    let bare: Server;
    const sockets: Socket[] = [];
    let onConnection: (socket: Socket) => void;
    beforeAll(async () => {
      bare = createServer((socket) => {
        sockets.push(socket);
        socket.on('error', () => {});
        onConnection(socket);
      });
      bare.listen(0, '127.0.0.1');
      await once(bare, 'listening');
    });
    afterAll(() => {
      for (const socket of sockets) socket.destroy();
      bare.close();
    });
    const url = () => `https://${HOST}:${(bare.address() as { port: number }).port}/`;

    it('ends one that accepts and never speaks TLS', async () => {
      onConnection = () => {};
      expect(await faultOf(hasty()(url(), {}, '{}'))).toBe(TOO_LATE);
    });

    it('ends one that drips', async () => {
      // A handshake record of 16 KiB, a byte at a time: each byte is life, none is an answer.
      onConnection = (socket) => {
        socket.write(Buffer.from([0x16, 0x03, 0x03, 0x40, 0x00]));
        const timer = setInterval(() => socket.write(Buffer.from([2])), 20);
        socket.once('close', () => clearInterval(timer));
      };
      const [fault, ms] = await timed(hasty()(url(), {}, '{}'));
      expect(fault).toBe(TOO_LATE);
      expect(ms).toBeLessThan(2000);
    });

    it('says so when the connection ends unanswered', async () => {
      onConnection = (socket) => socket.destroy();
      expect(await faultOf(hasty()(url(), {}, '{}'))).toBe('ECONNRESET');
    });
  });

  it('comes early for a sender that stops', async () => {
    const stop = new AbortController();
    receiver.answer('/stopped', () => stop.abort());
    const [fault, ms] = await timed(sender()(to('/stopped'), {}, '{}', stop.signal));
    expect(fault).toBe('the sender stops');
    expect(ms).toBeLessThan(2000);
  });

  it('lets a name that is resolved too late start nothing', async () => {
    let answer: (addresses: string[]) => void = () => {};
    const resolve: Resolve = () => new Promise((resume) => (answer = resume));
    const before = receiver.connections();
    expect(await faultOf(hasty({ resolve })(to('/ok'), {}, '{}'))).toBe(TOO_LATE);
    answer(['127.0.0.1']);
    // The effects of a late answer come before the connection of this one.
    await sender()(to('/probe'), {}, '{}');
    expect(receiver.connections()).toBe(before + 1);
  });
});

describe('the destination', () => {
  it.each([
    ['http:', () => `http://${HOST}:${receiver.port}/`],
    ['userinfo', () => `https://a:b@${HOST}:${receiver.port}/`],
    ['a fragment', () => `${to('/')}#a`],
    ['a host that is not named', () => to('/', 'sub.hooks.test')],
    ['nonsense', () => 'hooks.test'],
  ])('is refused with %s, although it was configured', async (_what, url) => {
    const before = receiver.connections();
    expect(await faultOf(sender()(url(), {}, '{}'))).toBe('the destination is not allowed');
    expect(receiver.connections()).toBe(before);
  });

  it('is refused with a port where only 443 is', async () => {
    const strict = sender({ rules: { hosts: [HOST], anyPort: false } });
    expect(await faultOf(strict(to('/'), {}, '{}'))).toBe('the destination is not allowed');
  });

  const REFUSED = 'the name leads to addresses that are not allowed';

  it.each([
    [['127.0.0.1']],
    [['::1']],
    [['169.254.169.254']],
    [['8.8.8.8', '127.0.0.1']],
    [['2606:4700:4700::1111', 'fd00::1']],
    [[]],
  ])('is refused when its name leads to %j', async (addresses) => {
    const before = receiver.connections();
    const strict = sender({ isAllowed: isPublicAddress, resolve: async () => addresses });
    expect(await faultOf(strict(to('/'), {}, '{}'))).toBe(REFUSED);
    expect(receiver.connections()).toBe(before);
  });

  it('is refused as a private address written out', async () => {
    const strict = sender({ isAllowed: isPublicAddress, resolve: nameServerResolve() });
    expect(await faultOf(strict(to('/', '127.0.0.1'), {}, '{}'))).toBe(REFUSED);
  });

  it('is looked up once an attempt: the checked address is the connected one', async () => {
    const inside = await startReceiver(certificate, '127.0.0.2');
    let looks = 0;
    const rebinding: Resolve = async () => {
      looks += 1;
      return looks === 1 ? ['127.0.0.1'] : ['127.0.0.2'];
    };
    const careful = sender({
      resolve: rebinding,
      isAllowed: (address) => address === '127.0.0.1',
    });
    await careful(to('/first'), {}, '{}');
    expect(looks).toBe(1);
    expect(receiver.at('/first')).toHaveLength(1);
    // At the second look-up the name leads inside: refused, and no connection arrives inside.
    expect(await faultOf(careful(to('/second'), {}, '{}'))).toBe(REFUSED);
    expect([receiver.at('/second').length, inside.connections()]).toEqual([0, 0]);
    await inside.close();
  });

  it('must have a certificate for its name, at any address', async () => {
    expect(await faultOf(sender()(to('/', 'other.test'), {}, '{}'))).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    );
    expect(receiver.received).toEqual([]);
  });

  it('must have a certificate that is trusted, also where checks are switched off', async () => {
    const { ca: _, ...untrusting } = { ca: certificate.cert };
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    try {
      const options = { rules: { hosts: [HOST], anyPort: true }, resolve: here, ...untrusting };
      const fault = await faultOf(
        webhookSender({ ...options, isAllowed: () => true })(to('/'), {}, '{}'),
      );
      expect(fault).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
    } finally {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    }
    expect(receiver.received).toEqual([]);
  });

  it('may be an address that the certificate names', async () => {
    const plain = sender({ resolve: nameServerResolve() });
    expect(await faultOf(plain(to('/', '127.0.0.1'), {}, '{}'))).toBeNull();
  });
});

describe('the resolver', () => {
  it('asks for both kinds of address and puts IPv4 first', async () => {
    const six = '2606:4700:4700:0:0:0:0:1111';
    const names = await startNameServer(() => [six, '127.0.0.1', '127.0.0.3']);
    const resolve = nameServerResolve({ servers: [names.server] });
    const found = await resolve(HOST, new AbortController().signal);
    expect(found).toEqual(['127.0.0.1', '127.0.0.3', '2606:4700:4700::1111']);
    expect([...names.asked].sort()).toEqual([`${HOST} A`, `${HOST} AAAA`]);
    await names.close();
  });

  it('is content with one kind, and not with none', async () => {
    const names = await startNameServer((name) => (name === HOST ? ['127.0.0.1'] : []));
    const resolve = nameServerResolve({ servers: [names.server] });
    const { signal } = new AbortController();
    expect(await resolve(HOST, signal)).toEqual(['127.0.0.1']);
    await expect(resolve('none.test', signal)).rejects.toMatchObject({ code: 'ENODATA' });
    await names.close();
  });

  it('resolves again for every attempt, and ends with the deadline without an answer', async () => {
    const names = await startNameServer((name) => (name === HOST ? ['127.0.0.1'] : null));
    const resolve = nameServerResolve({ servers: [names.server] });
    await sender({ resolve })(to('/ok'), {}, '{}');
    await sender({ resolve })(to('/ok'), {}, '{}');
    expect(names.asked.filter((question) => question === `${HOST} A`)).toHaveLength(2);
    const start = performance.now();
    const silent = sender({ resolve, deadlineMs: 300 });
    expect(await faultOf(silent(to('/ok', 'other.test'), {}, '{}'))).toBe(
      'the deadline has passed',
    );
    expect(performance.now() - start).toBeLessThan(1500);
    await names.close();
  });

  it('knows localhost in development only', async () => {
    const { signal } = new AbortController();
    expect(await systemResolve('localhost', signal)).toContain('127.0.0.1');
    expect(await systemResolve('[::1]', signal)).toEqual(['::1']);
    expect(await nameServerResolve()('[::1]', signal)).toEqual(['::1']);
  });
});
