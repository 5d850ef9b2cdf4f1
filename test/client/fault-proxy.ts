import { createServer, request as requestTo } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What may happen to a call on its way, and how often. */
const FAULTS = {
  pass: 60,
  /** The call never arrives. */
  'cut before': 4,
  /** The call has its effect, and no answer comes back. */
  'cut after': 6,
  /** Half of the answer comes back, as if it were all. */
  truncate: 4,
  /** The call arrives twice. */
  double: 6,
  delay: 4,
  'rate limit': 3,
  'status 500': 3,
  'status 502': 4,
  'status 503': 3,
  /** A page of a proxy with status 200, after the effect. */
  page: 3,
} as const;
type Fault = keyof typeof FAULTS;

export interface FaultProxy {
  readonly origin: string;
  /** Calls by what happened to them. */
  readonly happened: ReadonlyMap<Fault, number>;
  /** Calls that came again before the time that their Retry-After named. */
  readonly early: readonly string[];
  stop(): Promise<void>;
}

const RETRY_AFTER_SECONDS = 1;

/** A proxy that does to calls what bad networks and proxies do; the same calls in the same order, with the same seed. */
export async function startFaultProxy(to: string, seed: number): Promise<FaultProxy> {
  const chance = randomOf(seed);
  const happened = new Map<Fault, number>();
  const early: string[] = [];
  /** By key, when the call may come again. */
  const notBefore = new Map<string, number>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    const key = String(request.headers['idempotency-key'] ?? '');
    if (key !== '' && performance.now() < (notBefore.get(key) ?? 0)) early.push(key);
    const fault = faultOf(chance());
    happened.set(fault, (happened.get(fault) ?? 0) + 1);
    const forward = () => forwarded(to, request, body);
    switch (fault) {
      case 'cut before':
        return void response.destroy();
      case 'cut after':
        await forward();
        return void response.destroy();
      case 'truncate': {
        const answer = await forward();
        return send(response, { ...answer, body: answer.body.subarray(0, answer.body.length / 2) });
      }
      case 'double': {
        const [first, second] = await Promise.all([forward(), forward()]);
        return send(response, chance() < 0.5 ? first : second);
      }
      case 'delay':
        await new Promise((resolve) => setTimeout(resolve, 100 * chance()));
        return send(response, await forward());
      case 'rate limit': {
        notBefore.set(key, performance.now() + RETRY_AFTER_SECONDS * 1_000);
        const headers = {
          'content-type': 'application/problem+json',
          'retry-after': String(RETRY_AFTER_SECONDS),
        };
        const text = JSON.stringify({ error: 'rate_limited', detail: '', instance: '' });
        return send(response, { status: 429, headers, body: Buffer.from(text) });
      }
      case 'page':
        await forward();
        return send(response, page(200));
      case 'pass':
        return send(response, await forward());
      default:
        return send(response, page(Number(fault.slice(-3))));
    }
  }
  const server = createServer((request, response) => {
    void serve(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    happened,
    early,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function faultOf(chance: number): Fault {
  const all = Object.entries(FAULTS) as [Fault, number][];
  let left = chance * all.reduce((sum, [, often]) => sum + often, 0);
  return (all.find(([, often]) => (left -= often) < 0) ?? all[0]!)[0];
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

const page = (status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<!doctype html><title>Proxy</title>'),
});

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, { ...headers, 'content-length': body.length });
  response.end(body);
}

function forwarded(to: string, { method, url, headers }: IncomingMessage, body: Buffer) {
  const { host } = new URL(to);
  return new Promise<Answer>((resolve, reject) => {
    const { connection: _, ...others } = headers;
    const sent = requestTo(
      to + url,
      { method, headers: { ...others, host }, agent: false },
      (answer) => {
        const headers = { 'content-type': answer.headers['content-type'] ?? '' };
        const status = answer.statusCode ?? 0;
        bytesOf(answer).then((bytes) => resolve({ status, headers, body: bytes }), reject);
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Numbers from 0 to 1 that the seed determines (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
