import { BUILD_MS } from '../support/programs/obtained.js';
import { ROOT } from '../fault/support/previous.js';
import type { Cast } from '../fault/support/fixture.js';
import { report } from '../fault/support/report.js';
import { openCluster } from './support/cluster.js';
import type { Cluster } from './support/cluster.js';
import { openFrom, placesOf } from './support/connections.js';
import { resourceDefinitions } from './support/definitions.js';
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
  let version: Version;

  const stepsOf = ({ operator }: Cell, load: Load): Step =>
    stepsUnder(
      () => load,
      rows,
      () => operator.logs(null),
    );

  beforeAll(async () => {
    cluster = await openCluster();
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

function nameOf(cell: number): string {
  return (CELLS[cell]?.cell ?? '').toUpperCase();
}
