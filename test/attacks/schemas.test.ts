import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { DEFAULT_LIMITS } from '@countersign/protocol';
import { replicasOf } from '../fault/support/processes.js';
import { Client, personOf, producerOf } from '../support/client.js';
import type { Answer } from '../support/client.js';
import type { Demo, Instance } from '../support/instance.js';
import { startInstance, workersOnly } from '../support/instance.js';
import { reviewInput, until } from '../support/requests.js';
import { slowResponse, slowSchema, slowToCompile } from '../support/slow-schemas.js';

// A tenant whose schemas and responses take as long to check as the rules allow, and schemas that break out of the check.

let instance: Instance;
let hostile: { readonly demo: Demo; readonly producer: Client; readonly reviewer: Client };
let other: typeof hostile;
/** Of the hostile tenant: its responses are slow to check. */
let slowRequest: string;

const KNOWN = { title: 'known' };

beforeAll(async () => {
  instance = await startInstance({ split: true, replicas: workersOnly('anchor') });
  const { demo, dataDirectory } = instance;
  const [attacker, reviewer] = await Promise.all(
    [demo.people[1]!, demo.other.people[1]!].map(({ id }) => personOf(demo, dataDirectory, id)),
  );
  hostile = { demo, producer: producerOf(demo), reviewer: attacker! };
  other = {
    demo: { ...demo, ...demo.other },
    producer: new Client(demo.origin, { token: demo.other.producer.token }),
    reviewer: reviewer!,
  };
  await requestOf(hostile, KNOWN);
  slowRequest = await requestOf(hostile, slowSchema('slow'));
});
afterAll(() => instance?.stop());

const create = ({ demo, producer }: typeof hostile, response_schema: object) =>
  producer.post('/v2/requests', reviewInput(demo, { response_schema }));

async function requestOf(tenant: typeof hostile, response_schema: object): Promise<string> {
  const { status, body } = await create(tenant, response_schema);
  expect(status).toBe(201);
  return body.request.id;
}

const propose = ({ reviewer }: typeof hostile, id: string, response: unknown) =>
  reviewer.post(`/v2/requests/${id}/candidates`, { response, decision: 'answer' });

const CONNECTIONS = 12;

/** The refusals of the other tenant's calls while twelve connections go on attacking. */
async function refusedDuring(
  attack: () => Promise<Answer>,
  call: () => Promise<Answer>,
  calls: number,
): Promise<string[]> {
  const attacked = new Map<string, number>();
  let longestWait = 0;
  let over = false;
  const attackers = Array.from({ length: CONNECTIONS }, async () => {
    while (!over) {
      const { body, headers } = await attack();
      attacked.set(body.error, (attacked.get(body.error) ?? 0) + 1);
      longestWait = Math.max(longestWait, Number(headers.get('retry-after')));
    }
  });
  const refused: string[] = [];
  try {
    await until(
      async () => attacked.size,
      (answers) => answers > 0,
    );
    for (let made = 0; made < calls; made += 1) {
      const { status, body } = await call();
      if (status !== 201) refused.push(body.error);
    }
    // Who goes on being too slow is told to wait.
    await until(
      async () => longestWait,
      (seconds) => seconds > 10,
      90_000,
    );
  } finally {
    over = true;
    await Promise.all(attackers);
  }
  console.log(
    `refused ${refused.length} of ${calls}; the attack: ${JSON.stringify([...attacked])}`,
  );
  return refused;
}

it('twelve connections of slow schemas refuse no new schema of another tenant', async () => {
  const refused = await refusedDuring(
    () => create(hostile, slowToCompile(randomUUID())),
    () => create(other, { title: randomUUID() }),
    40,
  );
  expect(refused).toEqual([]);
});

it('a tenant that was too slow waits with new schemas, and not with known ones', async () => {
  const { status, headers } = await until(
    () => create(hostile, slowToCompile(randomUUID())),
    ({ body }) => body.error === 'schema_validation_busy',
  );
  expect([status, Number(headers.get('retry-after')) <= 60]).toEqual([503, true]);
  expect((await create(hostile, KNOWN)).status).toBe(201);
});

it('twelve connections of slow responses refuse no answer of another tenant’s reviewers', async () => {
  const id = await requestOf(other, KNOWN);
  const refused = await refusedDuring(
    () => propose(hostile, slowRequest, slowResponse(randomUUID())),
    () => propose(other, id, { note: randomUUID() }),
    20,
  );
  expect(refused).toEqual([]);
});

it('a schema and a response of half a megabyte are checked without a database', async () => {
  const text = (bytes: number): string => 'x'.repeat(bytes);
  const half = DEFAULT_LIMITS.response_bytes - 100;
  const id = await requestOf(other, { const: text(half) });
  expect((await propose(other, id, text(half))).status).toBe(201);
});

describe('the process that runs schemas', () => {
  const SECRET = /DATABASE|SIGNING_KEY|CALLER|TRUST|postgres:|redis:|BEGIN|stores\.json/;

  const proc = (pid: number, file: string): string =>
    readFileSync(`/proc/${pid}/${file}`, 'latin1');
  const childrenOf = (pid: number): number[] =>
    proc(pid, `task/${pid}/children`).trim().split(' ').filter(Boolean).map(Number);

  function filesOf(pid: number): string[] {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`)];
      } catch {
        return [];
      }
    });
  }

  /** Ports at the other end of its TCP connections. */
  function reachedBy(pid: number): number[] {
    const inodes = filesOf(pid).flatMap((path) => /^socket:\[(\d+)\]$/.exec(path)?.[1] ?? []);
    return ['net/tcp', 'net/tcp6'].flatMap((table) =>
      proc(pid, table)
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter((row) => inodes.includes(row[9] ?? ''))
        .map((row) => parseInt(row[2]!.split(':')[1]!, 16)),
    );
  }

  it('and the target that starts it hold no key, no address of a store and no connection but NATS', async () => {
    expect((await create(other, { title: randomUUID() })).status).toBe(201);
    const [target] = replicasOf(instance, 'schema');
    const programs = childrenOf(target!.pid);
    expect(programs).toHaveLength(2);
    for (const pid of [target!.pid, ...programs]) {
      expect(proc(pid, 'environ')).not.toMatch(SECRET);
      const opened = filesOf(pid).filter(
        (path) => path.startsWith('/') && !path.startsWith('/dev/'),
      );
      expect(opened).toEqual([]);
    }
    const nats = JSON.parse(readFileSync(`${instance.dataDirectory}/stores.json`, 'utf8')).urls;
    expect(reachedBy(target!.pid)).toEqual([Number(new URL(nats.NATS_URL).port)]);
    for (const pid of programs) {
      expect(proc(pid, 'environ')).toBe('');
      expect(reachedBy(pid)).toEqual([]);
      expect(proc(pid, 'cmdline')).toMatch(/--(experimental-)?permission\0/);
    }
  });

  it('affects nothing else when it stands still: known schemas and all other calls are served', async () => {
    const id = await requestOf(other, KNOWN);
    const targets = replicasOf(instance, 'schema');
    for (const { pid } of targets) process.kill(pid, 'SIGSTOP');
    try {
      const refused = await create(other, { title: randomUUID() });
      expect([refused.status, refused.body.error]).toEqual([503, 'schema_validation_unavailable']);
      expect((await create(other, KNOWN)).status).toBe(201);
      expect((await other.producer.get(`/v2/requests/${id}`)).status).toBe(200);
    } finally {
      for (const { pid } of targets) process.kill(pid, 'SIGCONT');
    }
    await until(
      () => create(other, { title: randomUUID() }),
      ({ status }) => status === 201,
    );
  });
});
