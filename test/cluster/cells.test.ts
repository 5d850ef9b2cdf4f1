import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseAllDocuments } from 'yaml';
import { BUILD_MS } from '../support/programs/obtained.js';
import { ROOT } from '../fault/support/previous.js';
import type { Cast } from '../fault/support/fixture.js';
import { report } from '../fault/support/report.js';
import { openCluster } from './support/cluster.js';
import type { Cluster } from './support/cluster.js';
import { openFrom, placesOf } from './support/connections.js';
import { resourceDefinitions } from './support/definitions.js';
import { startEdge } from './support/edge.js';
import type { Edge, EdgeAnswer } from './support/edge.js';
import { prepareInstallation } from './support/installation.js';
import type { Installation, Version } from './support/installation.js';
import { startLoad } from './support/load.js';
import type { Load } from './support/load.js';
import { CELLS, RELEASE } from './support/names.js';
import type { Place } from './support/names.js';
import { operatorWith } from './support/operator.js';
import type { Operator } from './support/operator.js';
import { stepsUnder, tableOf } from './support/steps.js';
import type { Row, Step } from './support/steps.js';
import { lacking } from './support/own/parts.js';

const CHART = join(ROOT, 'helm', 'countersign');
/** Of the cells in helm/countersign/examples. */
const ORIGINS = { a: 'https://a.review.example', b: 'https://b.review.example' };
const AT_ONCE = 2;
/** Only to end a step that hangs. */
const STEP_MS = 20 * 60_000;

interface Cell {
  readonly place: Place;
  readonly installation: Installation;
  readonly operator: Operator;
}

const why = process.env['CLUSTER_KUBECONFIG'] === undefined ? lacking() : null;
if (why !== null)
  report(`cluster: cells are LEFT OUT, NOT TESTED: this machine cannot run Kubernetes: ${why}`);

/** docs/scale.md, "Cells": two installations with the values of helm/countersign/examples, on one server of NATS. */
(why === null ? describe : describe.skip)('two cells in one cluster', () => {
  const rows: Row[] = [];
  const cells: Cell[] = [];
  const casts: Cast[] = [];
  const loads: Load[] = [];
  let cluster: Cluster;
  let edge: Edge | undefined;
  let version: Version;

  const stepsOf = ({ operator }: Cell, load: Load): Step =>
    stepsUnder(
      () => load,
      rows,
      () => operator.logs(null),
    );

  beforeAll(async () => {
    cluster = await openCluster({ edge: true });
    await cluster.kubectl.apply(...resourceDefinitions());
    version = { root: ROOT, image: cluster.images.countersign };
    for (const place of CELLS)
      cells.push({
        place,
        installation: await prepareInstallation(cluster, version, place),
        operator: operatorWith(cluster.kubectl, place.namespace),
      });
  }, 3 * BUILD_MS);
  afterAll(async () => {
    report(`cluster: two cells\n${tableOf(rows)}`);
    for (const load of loads) await load.stop();
    await edge?.stop();
    for (const { installation } of cells) await installation.stop();
    await cluster?.stop();
  }, STEP_MS);

  it(
    'are installed beside each other, and each takes its own tenants’ requests',
    async () => {
      for (const { installation } of cells) {
        await installation.deploy('install', version);
        const cast = await installation.configure(version);
        casts.push(cast);
        loads.push(startLoad(cast, AT_ONCE));
      }
      for (const [cell, load] of loads.entries())
        await stepsOf(cells[cell]!, load)(`lifecycles of cell ${nameOf(cell)}`, () =>
          load.more(20),
        );
    },
    STEP_MS,
  );

  it(
    'reach nothing of each other',
    async () => {
      const [a, b] = cells as [Cell, Cell];
      for (const [own, other] of [
        [a, b],
        [b, a],
      ] as const) {
        const places = await placesOf(
          cluster,
          await other.operator.pods(),
          other.installation.providerPort,
          other.place.stores,
        );
        const { place, operator } = own;
        const pods = new Map((await operator.pods()).map((pod) => [pod.target, pod]));
        for (const pod of pods.values()) {
          const open = await openFrom(cluster, place.namespace, pod.name, places);
          // The server of NATS that both share is among the stores of cell A.
          expect([pod.target, open.filter((name) => name !== 'nats')]).toEqual([pod.target, []]);
        }
      }
    },
    STEP_MS,
  );

  it(
    'know no login of each other',
    async () => {
      const [a, b] = cells as [Cell, Cell];
      const { token } = casts[0]!.demo.producer;
      expect(casts[0]!.demo.origin).toBe(a.installation.origin);
      const asked = await fetch(`${b.installation.origin}/v2/requests`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(asked.status).toBe(401);
    },
    STEP_MS,
  );

  it(
    'are found at one Gateway: by people by the names of tenants, by programs by the origin',
    async () => {
      for (const { installation, place } of cells)
        await cluster.kubectl.apply(...(await routesOf(installation, place)));
      edge = await startEdge(cluster, ['*.review.example', '*.a.review-apps.example.net'], {
        namespace: cells[0]!.place.stores,
        pod: 'deployment/door',
      });
      const tokens = casts.map(({ demo }) => demo.producer.token);
      const asked = (url: string, token?: string): Promise<EdgeAnswer> =>
        edge!.call(url, { token });

      const requests = `${ORIGINS.a}/v2/requests/none`;
      // Routes are followed some moments after they are made.
      await until(() =>
        asked(requests).then(
          ({ status }) => status === 401,
          () => false,
        ),
      );
      expect((await asked(requests, tokens[0])).text).toContain('not_found');
      expect((await asked(requests, tokens[1])).status).toBe(401);
      expect((await asked(`${ORIGINS.b}/v2/requests/none`, tokens[1])).text).toContain('not_found');

      for (const [tenant, origin] of [
        ['acme', ORIGINS.a],
        ['initech', ORIGINS.b],
      ] as const) {
        const name = `https://${tenant}.review.example`;
        const page = await asked(`${name}/inbox?route=refunds`);
        expect([page.status, page.headers.location]).toEqual([
          302,
          `${origin}/inbox?route=refunds`,
        ]);
        for (const method of ['GET', 'POST', 'PUT']) {
          const refused = await edge.call(`${name}/v2/requests`, { method, token: tokens[0]! });
          expect(refused.status).toBeGreaterThanOrEqual(400);
          expect(refused.headers.location).toBeUndefined();
          expect(refused.text).not.toContain('not_found');
        }
      }
      expect((await asked('https://nobody.review.example/inbox')).status).toBe(404);
      const app = await asked('https://x.a.review-apps.example.net/inbox');
      expect(app.headers['content-security-policy']).toContain("connect-src 'none'");
    },
    STEP_MS,
  );

  it(
    'go on when all of the other is gone',
    async () => {
      const [a, b] = cells as [Cell, Cell];
      const [, load] = loads as [Load, Load];
      await loads[0]!.stop();
      await stepsOf(b, load)('cell A uninstalled', async () => {
        await a.installation.helm('uninstall', RELEASE, '--wait', '--timeout', '10m');
        await load.more(10);
      });
      await b.operator.settled();
    },
    STEP_MS,
  );
});

/** Those of the chart with a cell's own example values, whose host names are not of the installation here. */
async function routesOf({ helm }: Installation, { cell }: Place): Promise<object[]> {
  const values = join(CHART, 'examples', `cells-${cell}-values.yaml`);
  // It asks no cluster for its version.
  const rendered = await helm('template', RELEASE, CHART, '-f', values, '--kube-version', '1.33');
  return parseAllDocuments(rendered)
    .map((document) => document.toJS() as { kind?: string } | null)
    .filter((object) => object?.kind === 'HTTPRoute') as object[];
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(250);
}

function nameOf(cell: number): string {
  return (CELLS[cell]?.cell ?? '').toUpperCase();
}
