import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import type * as Built from '@countersign/client';
import { newFolder } from '../support/folder.js';
import { answering, documentOf, statusOf, vectorOf } from './support/answers.js';

// Plausible mistakes in the client: what is named beside each has to come out wrong, and comes out right without.

const BUILT = resolve(__dirname, '../../packages/client/dist/node');

type Bundle = typeof Built;
/** What came of calls; the bundle is the build that is tried. */
type Scenario = (bundle: Bundle) => Promise<unknown>;

interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A service on this machine that gives those answers, one after the other, and what it was asked. */
async function served(answers: readonly Answer[], act: (origin: string) => Promise<unknown>) {
  const asked: { url: string; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const { status, headers, body } = answers[Math.min(asked.length, answers.length - 1)]!;
    asked.push({
      url: request.url!,
      key: request.headers['idempotency-key'] as string | undefined,
    });
    const type = status < 300 ? 'application/json' : 'application/problem+json';
    response.writeHead(status, { 'content-type': type, ...headers }).end(JSON.stringify(body));
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const { port } = server.address() as AddressInfo;
  try {
    const said = await act(`http://127.0.0.1:${port}`).then(
      () => 'ok',
      (fault: { name: string; why?: string; code?: string }) =>
        fault.why ?? fault.code ?? fault.name,
    );
    return { said, asked };
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const problem = (error: string) => ({ error, title: '', detail: '', status: 429, instance: '' });
const { trust } = vectorOf('export-executed');
const executed = documentOf(vectorOf('export-executed'));
const status = statusOf(executed);
const { request } = executed;
const pinned = { trust, tenant: request.tenant, producer: request.producer };

/** What a client says of the last of those answers, each to a call of its own. */
async function saidOf(
  bundle: Bundle,
  options: Partial<typeof pinned>,
  answers: readonly unknown[],
  calls: (client: Built.Client) => Promise<unknown>,
): Promise<string> {
  const client = bundle.countersign({
    ...{ origin: trust.issuer, token: 't', fetch: answering(answers), ...pinned },
    ...options,
  });
  return calls(client).then(
    () => 'ok',
    ({ reason }: { reason: string }) => reason,
  );
}

const key: Scenario = async (bundle) => {
  const answers = [{ status: 503, body: problem('service_unavailable') }, { status: 404 }];
  const { asked } = await served(answers, (origin) =>
    bundle
      .countersign({
        origin,
        token: 't',
        trust: 'unverified',
        budget: { attempts: 3, seconds: 30 },
      })
      .call(bundle.cancel, { id: request.id, body: {} }),
  );
  return { calls: asked.length > 1, keys: new Set(asked.map((one) => one.key)).size };
};

const retryAfter: Scenario = async (bundle) => {
  // Longer than the budget: the call ends at once.
  const headers = { 'retry-after': '600' };
  const { said, asked } = await served(
    [{ status: 429, headers, body: problem('rate_limited') }],
    (origin) =>
      bundle
        .countersign({
          origin,
          token: 't',
          trust: 'unverified',
          budget: { attempts: 2, seconds: 30 },
        })
        .call(bundle.status, { id: request.id }),
  );
  return { said, calls: asked.length };
};

const redirect: Scenario = async (bundle) => {
  const headers = { location: '/elsewhere' };
  const { said, asked } = await served(
    [
      { status: 302, headers },
      { status: 200, body: status },
    ],
    (origin) =>
      bundle
        .countersign({ origin, token: 't', trust: 'unverified' })
        .call(bundle.status, { id: request.id }),
  );
  return { said, calls: asked.map(({ url }) => url) };
};

const audience: Scenario = (bundle) =>
  saidOf(bundle, { producer: 'stranger' }, [status], (client) =>
    client.call(bundle.status, { id: request.id }),
  );

const wentBack: Scenario = (bundle) =>
  saidOf(bundle, {}, [status, { ...status, revision: status.revision - 1 }], async (client) => {
    await client.call(bundle.status, { id: request.id });
    await client.call(bundle.status, { id: request.id });
  });

const manifest: Scenario = (bundle) => {
  // The pinned manifest has none of the keys that signed; the service serves one that has them.
  const keys = trust.keys.map((one) => ({ ...one, key_id: `old-${one.key_id}` }));
  return saidOf(bundle, { trust: { ...trust, keys } }, [trust, status], async (client) => {
    expect((await client.trustDrift())?.added).toEqual(trust.keys.map(({ key_id: id }) => id));
    await client.call(bundle.status, { id: request.id });
  });
};

interface Planted {
  readonly bug: string;
  readonly passage: string;
  readonly becomes: string;
  readonly caughtBy: Scenario;
  readonly comes: unknown;
}

const BUGS: readonly Planted[] = [
  {
    bug: 'a new key in each attempt',
    passage: 'authorization: `Bearer ${token}`',
    becomes: 'authorization: `Bearer ${token}`, "idempotency-key": newKey()',
    caughtBy: key,
    comes: { calls: true, keys: 1 },
  },
  {
    bug: 'Retry-After, ignored',
    passage: '(failure.retryAfter ?? 0) * 1e3',
    becomes: '0',
    caughtBy: retryAfter,
    comes: { said: 'rate_limited', calls: 1 },
  },
  {
    bug: 'a redirect that is followed',
    passage: 'redirect: "manual"',
    becomes: 'redirect: "follow"',
    caughtBy: redirect,
    comes: { said: 'redirect', calls: [`/v2/requests/${request.id}`] },
  },
  {
    bug: 'an audience that is not checked',
    passage: '...producer !== void 0 && { audience: producer }',
    becomes: '',
    caughtBy: audience,
    comes: 'expected_audience',
  },
  {
    bug: 'a revision that goes back, accepted',
    passage: 'status.revision < call.knownRevision',
    becomes: 'false',
    caughtBy: wentBack,
    comes: 'went_back',
  },
  {
    bug: 'a manifest that the service serves, used',
    passage: 'return driftOf(trust$1, (await answerTo(trust, {})).body);',
    becomes: `const { body } = await answerTo(trust, {});
			const drift = driftOf(trust$1, body);
			Object.assign(verification, verificationOf(origin, { ...options, trust: body }));
			return drift;`,
    caughtBy: manifest,
    comes: 'unknown_key',
  },
];

let folder: string;

beforeAll(() => (folder = newFolder('planted')));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A build in which a passage that it has once is changed, or none. */
function bundleWith(name: string, change?: { passage: string; becomes: string }): Bundle {
  const built = join(folder, name.replaceAll(/\W/g, '-'));
  cpSync(BUILT, built, { recursive: true });
  if (change !== undefined) {
    const { passage, becomes } = change;
    // Each part of the build, but for the verifier of exports.
    const sources = ['src.js', 'verification.js'].map((file) => join(built, file));
    const held = sources.map((file) => readFileSync(file, 'utf8').split(passage));
    expect(held.map((parts) => parts.length - 1).sort()).toEqual([0, 1]);
    for (const [at, file] of sources.entries()) writeFileSync(file, held[at]!.join(becomes));
  }
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  return require(join(built, 'index.js')) as Bundle;
}

it.each(BUGS)('catches $bug', async ({ bug, passage, becomes, caughtBy, comes }) => {
  const right = bundleWith(`without ${bug}`);
  expect(await caughtBy(right)).toEqual(comes);
  const wrong = bundleWith(bug, { passage, becomes });
  expect(await caughtBy(wrong)).not.toEqual(comes);
});
