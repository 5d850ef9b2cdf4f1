import { Refusal } from '@countersign/protocol';
import { busFaultOf, createLogger, currentTrace, inTrace, newTrace } from '@countersign/platform';
import type { Bus, BusFaultKind, BusReply, BusRequest, Logger } from '@countersign/platform';
import { until } from '@countersign/dev-servers/testing';

/** Makes buses that reach each other, as processes of one installation do. */
export interface BusMaker {
  /** In process, all are the same one. */
  make(name: string, log: Logger): Promise<Bus>;
}

export const silent = createLogger({ name: 'test', level: 'silent' });
const MiB = 1024 * 1024;

/** A gate that many wait at. */
export function gate(): { wait: Promise<void>; open(): void } {
  let open = (): void => {};
  const wait = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { wait, open };
}

export async function refusalOf(call: Promise<unknown>): Promise<Refusal> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Refusal)) throw new Error(`no refusal: ${String(outcome)}`);
  return outcome;
}

export async function expectFault(call: Promise<unknown>, fault: BusFaultKind): Promise<void> {
  const refusal = await refusalOf(call);
  expect([refusal.code, refusal.status, busFaultOf(refusal)]).toEqual([
    'service_unavailable',
    503,
    fault,
  ]);
}

/** A call that got no turn in time; where this process stood still for a moment, it is refused sooner. */
export async function expectOverdue(call: Promise<unknown>): Promise<void> {
  expect(['timeout', 'overloaded']).toContain(busFaultOf(await refusalOf(call)));
  // The other side counts from when it got the request: later than we do by the time on the way.
  const given = performance.now();
  await until(() => performance.now() > given + 50);
}

const ok = (body: string): BusReply => ({ status: 200, body });
const echo = async ({ body }: BusRequest): Promise<BusReply> => ok(body);

/** The behaviour of every bus, over any transport. */
export function describeBus(maker: BusMaker): void {
  let caller: Bus;
  let servers: Bus[] = [];
  const lines: string[] = [];
  const log = createLogger({
    name: 'test',
    destination: { write: (line: string) => void lines.push(line) },
  });

  async function server(name = 'server'): Promise<Bus> {
    const bus = await maker.make(name, log);
    servers.push(bus);
    return bus;
  }

  beforeEach(async () => {
    lines.length = 0;
    servers = [];
    caller = await maker.make('caller', log);
  });

  afterEach(async () => {
    await Promise.all([caller, ...servers].map((bus) => bus.close()));
  });

  describe('request and reply', () => {
    it('carries body, status and headers there and back', async () => {
      const seen: BusRequest[] = [];
      await (
        await server()
      ).serve('t.echo', 'q', async (request) => {
        seen.push(request);
        return {
          status: 201,
          body: `${request.body}!`,
          headers: { ETag: '"a b"', note: ' ü%\r\n' },
        };
      });
      const headers = {
        timeoutMs: 1000,
        caller: 'a.b.c',
        key: 'k-1',
        params: JSON.stringify({ id: 'ä%41\n', state: '' }),
        extra: '',
      };
      expect(await caller.call('t.echo', headers, '{"a":"é\u2028😀"}')).toEqual({
        status: 201,
        body: '{"a":"é\u2028😀"}!',
        headers: { ETag: '"a b"', note: ' ü%\r\n' },
      });
      expect(seen[0]?.subject).toBe('t.echo');
      expect(seen[0]?.headers).toMatchObject(headers);
    });

    it('carries an empty body and a leading byte-order mark', async () => {
      await (await server()).serve('t.echo', 'q', echo);
      expect(await caller.call('t.echo', { timeoutMs: 1000 }, '')).toEqual(ok(''));
      expect(await caller.call('t.echo', { timeoutMs: 1000 }, '\uFEFF1')).toEqual(ok('\uFEFF1'));
    });

    it.each([0, 1000, 12 * MiB])('carries an answer of %d bytes as bytes', async (length) => {
      await (
        await server()
      ).serve('t.bytes', 'q', async () => ({
        status: 200,
        body: '',
        bytes: Buffer.alloc(length, 'é'),
        headers: { note: 'long' },
      }));
      const reply = await caller.call('t.bytes', { timeoutMs: 20_000 }, '');
      expect({ ...reply, bytes: null }).toEqual({
        status: 200,
        body: '',
        bytes: null,
        headers: { note: 'long' },
      });
      expect(Buffer.alloc(length, 'é').equals(reply.bytes as Uint8Array)).toBe(true);
    });

    it('gives each of many parallel calls its own answer', async () => {
      await (await server()).serve('t.echo', 'q', echo, { concurrency: 8, backlog: 1000 });
      const bodies = Array.from({ length: 500 }, (_, i) => String(i));
      const replies = await Promise.all(
        bodies.map((body) => caller.call('t.echo', { timeoutMs: 5000 }, body)),
      );
      expect(replies.map(({ body }) => body)).toEqual(bodies);
    });

    it('spreads the requests of a queue over its members', async () => {
      const counts = [0, 0, 0];
      for (const [i] of counts.entries()) {
        await (
          await server(`server-${i}`)
        ).serve('t.spread', 'q', async () => {
          counts[i] = (counts[i] as number) + 1;
          return ok('');
        });
      }
      await Promise.all(
        Array.from({ length: 120 }, () => caller.call('t.spread', { timeoutMs: 2000 }, '')),
      );
      expect(counts.reduce((a, b) => a + b)).toBe(120);
      for (const count of counts) expect(count).toBeGreaterThan(10);
    });

    it.each([65_537, 200_000, MiB])(
      'leaves a body of %d bytes until it is asked for',
      async (size) => {
        const seen: [string, number | null][] = [];
        const bus = await server();
        const handler = async ({ body, large }: BusRequest): Promise<BusReply> => {
          seen.push([body, large?.bytes ?? null]);
          return ok(large === null ? body : Buffer.from(await large.take()).toString());
        };
        await bus.serve('t.large', 'q', handler, { largeBodies: true });
        await bus.serve('t.text', 'q', echo);
        const text = `é${'x'.repeat(size - 2)}`;
        const call = (subject: string) =>
          caller.call(subject, { timeoutMs: 5000 }, new TextEncoder().encode(text));
        expect((await call('t.large')).body === text).toBe(true);
        expect(seen).toEqual([['', size]]);
        expect((await call('t.text')).body === text).toBe(true);
      },
    );

    it('brings a small body of bytes as text', async () => {
      const handler = async ({ body, large }: BusRequest): Promise<BusReply> =>
        ok(`${body} ${large}`);
      await (await server()).serve('t.small', 'q', handler, { largeBodies: true });
      const bytes = Buffer.from('xé\uFEFFx').subarray(1, 6);
      expect(await caller.call('t.small', { timeoutMs: 1000 }, bytes)).toEqual(ok('é\uFEFF null'));
    });

    it('carries bodies of 12 MiB both ways', async () => {
      const large = JSON.stringify({ text: 'é'.repeat(6 * MiB) });
      await (
        await server()
      ).serve('t.large', 'q', async ({ body }) => ok(body === large ? large : 'other'));
      const reply = await caller.call('t.large', { timeoutMs: 10_000 }, large);
      expect(reply.body === large).toBe(true);
    });
  });

  describe('errors', () => {
    it('names a subject without a responder, at once', async () => {
      const begin = performance.now();
      await expectFault(caller.call('t.nobody', { timeoutMs: 5000 }, ''), 'no_responder');
      expect(performance.now() - begin).toBeLessThan(1000);
    });

    it('ends a call when its time is over', async () => {
      const held = gate();
      await (
        await server()
      ).serve('t.slow', 'q', async () => {
        await held.wait;
        return ok('late');
      });
      await expectFault(caller.call('t.slow', { timeoutMs: 400 }, ''), 'timeout');
      held.open();
    });

    it('does not send a call that has no time left', async () => {
      await (await server()).serve('t.echo', 'q', echo);
      await expectFault(caller.call('t.echo', { timeoutMs: 0 }, ''), 'timeout');
    });

    it('brings a refusal back with code, status, retryAfter and detail', async () => {
      await (
        await server()
      ).serve('t.refuse', 'q', async ({ body }) => {
        throw body === 'short'
          ? new Refusal('unsupported_profile', { status: 409 })
          : new Refusal('rate_limited', {
              retryAfter: 17,
              detail: 'Zu viel: „50 %“\nheute',
              cause: 1,
            });
      });
      const full = await refusalOf(caller.call('t.refuse', { timeoutMs: 1000 }, ''));
      expect([full.code, full.status, full.retryAfter, full.detail, full.cause]).toEqual([
        'rate_limited',
        429,
        17,
        'Zu viel: „50 %“\nheute',
        undefined,
      ]);
      const short = await refusalOf(caller.call('t.refuse', { timeoutMs: 1000 }, 'short'));
      expect([short.code, short.status, short.retryAfter, short.detail]).toEqual([
        'unsupported_profile',
        409,
        undefined,
        undefined,
      ]);
    });

    it('turns any other error into service_unavailable without its text, and logs it where it arose', async () => {
      await (
        await server()
      ).serve('t.fail', 'q', async () => {
        throw new RangeError('private words');
      });
      const refusal = await refusalOf(caller.call('t.fail', { timeoutMs: 1000 }, ''));
      expect([refusal.code, busFaultOf(refusal)]).toEqual([
        'service_unavailable',
        'handler_failed',
      ]);
      expect(
        JSON.stringify([refusal.message, refusal.detail, String(refusal.cause)]),
      ).not.toContain('private');
      expect(lines.join('')).toContain('RangeError');
    });

    it('survives a handler that throws at once', async () => {
      await (
        await server()
      ).serve('t.fail', 'q', () => {
        throw new Refusal('not_found');
      });
      expect((await refusalOf(caller.call('t.fail', { timeoutMs: 1000 }, ''))).code).toBe(
        'not_found',
      );
      expect((await refusalOf(caller.call('t.fail', { timeoutMs: 1000 }, ''))).code).toBe(
        'not_found',
      );
    });

    it('refuses a header or subject that cannot travel', async () => {
      await expect(caller.call('t.*', { timeoutMs: 1000 }, '')).rejects.toThrow(TypeError);
      await expect(caller.call('t.x y', { timeoutMs: 1000 }, '')).rejects.toThrow(TypeError);
      await expect(caller.call('t.x', { timeoutMs: 1000, 'a b': '1' }, '')).rejects.toThrow(
        TypeError,
      );
      await expect(caller.call('t.x', { timeoutMs: 1000, parcel: '1' }, '')).rejects.toThrow(
        TypeError,
      );
    });
  });

  describe('load', () => {
    it('refuses a call that does not fit into the backlog', async () => {
      const held = gate();
      let started = 0;
      await (
        await server()
      ).serve(
        't.busy',
        'q',
        async () => {
          started += 1;
          await held.wait;
          return ok('done');
        },
        { concurrency: 2, backlog: 3 },
      );
      const calls = Array.from({ length: 9 }, () => caller.call('t.busy', { timeoutMs: 5000 }, ''));
      const outcomes = Promise.all(
        calls.map((call) =>
          call.then(
            ({ body }) => body,
            (error: unknown) => busFaultOf(error),
          ),
        ),
      );
      await until(() => started === 2);
      // The four that were refused have their answers before anything is finished.
      await Promise.any(calls.slice(5).map((call) => call.catch(() => {})));
      held.open();
      const counts = (await outcomes).filter((outcome) => outcome === 'overloaded').length;
      expect([counts, started]).toEqual([4, 5]);
    });

    it('drops an overdue request before it starts', async () => {
      const held = gate();
      const started: string[] = [];
      await (
        await server()
      ).serve(
        't.queue',
        'q',
        async ({ body }) => {
          started.push(body);
          if (body === 'first') await held.wait;
          return ok(body);
        },
        { concurrency: 1, backlog: 10 },
      );
      const first = caller.call('t.queue', { timeoutMs: 5000 }, 'first');
      await until(() => started.length === 1);
      await expectOverdue(caller.call('t.queue', { timeoutMs: 50 }, 'overdue'));
      const last = caller.call('t.queue', { timeoutMs: 5000 }, 'last');
      held.open();
      expect([(await first).body, (await last).body]).toEqual(['first', 'last']);
      expect(started).toEqual(['first', 'last']);
    });

    it('lets overdue requests make room for new ones', async () => {
      const held = gate();
      let started = 0;
      await (
        await server()
      ).serve(
        't.room',
        'q',
        async () => {
          started += 1;
          await held.wait;
          return ok('');
        },
        { concurrency: 1, backlog: 1 },
      );
      const first = caller.call('t.room', { timeoutMs: 5000 }, '');
      await until(() => started === 1);
      await expectOverdue(caller.call('t.room', { timeoutMs: 50 }, ''));
      const next = caller.call('t.room', { timeoutMs: 5000 }, '');
      held.open();
      await Promise.all([first, next]);
      expect(started).toBe(2);
    });

    it('gives a handler its time limit, and signals its end', async () => {
      const held = gate();
      const told: { remaining?: number; aborted?: boolean; left?: number } = {};
      await (
        await server()
      ).serve('t.deadline', 'q', async (request) => {
        told.remaining = request.remainingMs();
        request.signal.addEventListener('abort', () => {
          told.aborted = true;
          told.left = request.remainingMs();
        });
        await held.wait;
        return ok('');
      });
      await expectFault(caller.call('t.deadline', { timeoutMs: 400 }, ''), 'timeout');
      await until(() => told.aborted === true);
      held.open();
      expect(told.remaining).toBeGreaterThan(0);
      expect(told.remaining).toBeLessThanOrEqual(400);
      expect(told.left).toBeLessThan(2);
    });
  });

  describe('trace', () => {
    it('goes along by itself and begins a new step', async () => {
      await (await server()).serve('t.trace', 'q', async () => ok(JSON.stringify(currentTrace())));
      const trace = newTrace();
      const { body } = await inTrace(trace, () => caller.call('t.trace', { timeoutMs: 1000 }, ''));
      const there = JSON.parse(body);
      expect(there.traceId).toBe(trace.traceId);
      expect(there.spanId).not.toBe(trace.spanId);
    });

    it('prefers the one it is given, and starts one when there is none', async () => {
      await (
        await server()
      ).serve('t.trace', 'q', async () => ok(currentTrace()?.traceId ?? 'none'));
      const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`;
      const given = await caller.call('t.trace', { timeoutMs: 1000, traceparent }, '');
      expect(given.body).toBe('ab'.repeat(16));
      expect((await caller.call('t.trace', { timeoutMs: 1000 }, '')).body).toMatch(
        /^[0-9a-f]{32}$/,
      );
    });

    it('is in the log of a handler that fails', async () => {
      await (
        await server()
      ).serve('t.trace', 'q', async () => {
        throw new Error('x');
      });
      const trace = newTrace();
      await refusalOf(inTrace(trace, () => caller.call('t.trace', { timeoutMs: 1000 }, '')));
      expect(
        JSON.parse(lines.find((line) => line.includes('handler failed')) ?? '{}'),
      ).toMatchObject({
        trace: trace.traceId,
      });
    });
  });

  describe('hints', () => {
    it('reach one member of a queue and every subscriber without one', async () => {
      const got: string[] = [];
      const bus = await server();
      const other = await server('other');
      await bus.subscribe('t.hint', 'q', (body) => got.push(`q ${body}`));
      await other.subscribe('t.hint', 'q', (body) => got.push(`q ${body}`));
      await bus.subscribe('t.hint', null, (body) => got.push(`all ${body}`));
      await other.subscribe('t.hint', null, (body) => got.push(`all ${body}`));
      caller.publish('t.hint', '1');
      caller.publish('t.hint', '2');
      await until(() => got.length >= 6);
      expect(got.sort()).toEqual(['all 1', 'all 1', 'all 2', 'all 2', 'q 1', 'q 2']);
    });

    it('may have no subscriber, be too large or fail in a handler', async () => {
      const got: string[] = [];
      await (
        await server()
      ).subscribe('t.hint', null, (body) => {
        got.push(body);
        throw new Error('no');
      });
      caller.publish('t.nobody', 'x');
      caller.publish('t.hint', 'x'.repeat(300 * 1024));
      caller.publish('t.hint', '1');
      caller.publish('t.hint', '2');
      await until(() => got.length >= 2);
      expect(got).toEqual(['1', '2']);
    });
  });

  describe('closing', () => {
    it('finishes calls under way and waiting ones, and accepts no new ones', async () => {
      const held = gate();
      let started = 0;
      const bus = await server();
      await bus.serve(
        't.drain',
        'q',
        async ({ body }) => {
          started += 1;
          await held.wait;
          return ok(body);
        },
        { concurrency: 1 },
      );
      const calls = [1, 2, 3].map((n) => caller.call('t.drain', { timeoutMs: 5000 }, String(n)));
      await until(() => started === 1);
      // A second call on the same way tells that the others have arrived.
      await bus.serve('t.mark', 'q', echo);
      await caller.call('t.mark', { timeoutMs: 1000 }, '');
      let closed = false;
      const closing = bus.close().then(() => {
        closed = true;
      });
      expect(bus.ready()).toBe(false);
      await until(async () =>
        caller.call('t.mark', { timeoutMs: 500 }, '').then(
          () => false,
          () => true,
        ),
      );
      expect(closed).toBe(false);
      held.open();
      expect((await Promise.all(calls)).map(({ body }) => body)).toEqual(['1', '2', '3']);
      await closing;
      await expectFault(bus.call('t.mark', { timeoutMs: 500 }, ''), 'closed');
      await expectFault(bus.serve('t.mark', 'q', echo), 'closed');
      bus.publish('t.mark', '');
      await bus.close();
    });

    it('leaves before it closes: answers calls under way, accepts no new ones, and still calls', async () => {
      const held = gate();
      const bus = await server('leaving');
      let started = false;
      await bus.serve('t.held', 'q', async () => {
        started = true;
        await held.wait;
        return ok('held');
      });
      const hints: string[] = [];
      await bus.serve('t.mark', 'q', echo);
      await bus.subscribe('t.left', 'q', (body) => hints.push(body));
      const call = caller.call('t.held', { timeoutMs: 5000 }, '');
      await until(() => started);
      let left = false;
      const leaving = bus.leave().then(() => {
        left = true;
      });
      expect(bus.ready()).toBe(false);
      await until(async () =>
        caller.call('t.mark', { timeoutMs: 500 }, '').then(
          () => false,
          (error: unknown) => busFaultOf(error) === 'no_responder',
        ),
      );
      expect(left).toBe(false);
      held.open();
      await leaving;
      expect((await call).body).toBe('held');
      caller.publish('t.left', 'hint');
      bus.publish('t.left', 'hint');
      // In process both are one bus, which has left.
      await expectFault(bus.call('t.none', { timeoutMs: 500 }, ''), 'no_responder');
      expect(hints).toEqual([]);
    });

    it('lets a handler under way call others', async () => {
      const held = gate();
      const bus = await server('first');
      await (await server('second')).serve('t.inner', 'q', echo);
      let started = false;
      await bus.serve('t.outer', 'q', async () => {
        started = true;
        await held.wait;
        return bus.call('t.inner', { timeoutMs: 1000 }, 'inner');
      });
      const call = caller.call('t.outer', { timeoutMs: 5000 }, '');
      await until(() => started);
      const closing = bus.close();
      held.open();
      // In process, both are one bus, and its other services have left too.
      const outcome = await call.then(({ body }) => body, busFaultOf);
      expect(['inner', 'no_responder']).toContain(outcome);
      await closing;
    });

    it('does not wait for ever', async () => {
      const bus = await server('stuck');
      let started = false;
      await bus.serve('t.stuck', 'q', () => {
        started = true;
        return new Promise(() => {});
      });
      const call = refusalOf(caller.call('t.stuck', { timeoutMs: 5000 }, ''));
      await until(() => started);
      const begin = performance.now();
      await bus.close();
      expect(performance.now() - begin).toBeLessThan(3000);
      await caller.close();
      // Where the way between the two ends as well, that is noticed first.
      expect(['closed', 'disconnected']).toContain(busFaultOf(await call));
    });
  });
}
