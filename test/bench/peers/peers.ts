import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { newFolder } from '../../support/folder.js';
import { endAll } from '../ends.js';
import type { Ends } from '../ends.js';
import { machineFacts } from '../machine.js';
import type { Scenario } from '../scenario.js';
import { PRODUCTS } from './countersign.js';
import { figureOf } from './figure.js';
import { measureApprovals, measureConflicts } from './measure.js';
import { reportOf, resultsOf } from './report.js';
import type { Round } from './report.js';
import { RIVALS, installRivals } from './rivals.js';
import type { Peer } from './system.js';

const HELP = `npm run bench -- peers [--rounds 3] [--seconds 4] [--clients 1,8,32] [--pairs 60] [--only NAME,…] [--json FILE] [--figure FILE]
  Approvals a second, through Countersign and through what users would run instead, each with a Postgres of its own (Restate
  with its own store), one after the other: file a request, decide, read the result. Then two people decide the opposite of
  each other at the same moment, --pairs times. --figure draws the rates of the most clients as SVG.`;

export const peers: Scenario = async (args, ends, say) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      seconds: { type: 'string', default: '4' },
      clients: { type: 'string', default: '1,8,32' },
      pairs: { type: 'string', default: '60' },
      only: { type: 'string' },
      json: { type: 'string' },
      figure: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    say(HELP);
    return;
  }
  const [rounds, seconds, pairs] = [values.rounds, values.seconds, values.pairs].map(Number) as [
    number,
    number,
    number,
  ];
  const clients = values.clients.split(',').map(Number);
  const chosen = chosenOf(values.only);
  const folder = newFolder('bench');
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  const machine = machineFacts(folder);
  if (chosen.some((peer) => RIVALS.includes(peer))) installRivals(say);

  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (const peer of chosen) {
      const found = await measureOne(peer, join(folder, `${round}-${measured.length}`));
      measured.push(found);
      const rates = found.approvals.map((of) => `${of.perSecond.toFixed(0)} at ${of.clients}`);
      say(`round ${round}, ${peer.name}: ${rates.join(', ')}`);
    }
  }
  const results = resultsOf(measured);
  for (const line of reportOf(results, machine, { rounds, seconds })) say(line);
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, results, measured }, null, 2)}\n`);
  if (values.figure !== undefined) writeFileSync(values.figure, figureOf(results));

  /** Starts it, measures it, and stops it, so that it has the machine to itself. */
  async function measureOne(peer: Peer, place: string): Promise<Round> {
    mkdirSync(place, { mode: 0o755 });
    const own: Ends = [];
    // A signal ends the bench in the middle of this.
    ends.push(() => endAll(own).then(() => {}));
    try {
      const system = await peer.start(place, own);
      const approvals = [];
      for (const count of clients) approvals.push(await measureApprovals(system, count, seconds));
      const conflicts = await measureConflicts(system, pairs);
      return { name: peer.name, proves: peer.proves, approvals, conflicts };
    } finally {
      ends.pop();
      await endAll(own);
      rmSync(place, { recursive: true, force: true });
    }
  }
};

function chosenOf(only: string | undefined): readonly Peer[] {
  const all = [...RIVALS, ...PRODUCTS];
  if (only === undefined) return all;
  return only.split(',').map((name) => {
    const peer = all.find((known) => known.name === name);
    if (peer !== undefined) return peer;
    throw new Error(`--only knows ${all.map((known) => known.name).join(', ')}; not "${name}".`);
  });
}
