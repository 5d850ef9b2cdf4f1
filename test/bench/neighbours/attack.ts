import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { giveWay } from './give-way.js';
import { LOADS } from './loads.js';
import type { Attacker } from './loads.js';

// A process that makes one load at a time.
giveWay();

/** `clients`: instead of those of the load. */
export type AttackOrder =
  | { readonly load: string; readonly attacker: Attacker; readonly clients?: number }
  | { end: true };

/** How often each outcome came. */
export type Outcomes = Readonly<Record<string, number>>;
export type AttackReply = { began: true } | { outcomes: Outcomes } | { error: string };

/** A refused client comes back after so long. */
const REFUSED_PAUSE_MS = 100;

let ended = false;

async function attack(load: string, attacker: Attacker, clients?: number): Promise<Outcomes> {
  const found = LOADS[load];
  if (found === undefined) throw new Error(`there is no load "${load}"`);
  const turn = await found.prepare(attacker);
  const outcomes: Record<string, number> = {};
  reply({ began: true });
  const client = async (_: unknown, number: number): Promise<void> => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (!ended) {
      const outcome = await turn({ origin: attacker.origin, agent }, number);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      if (typeof outcome === 'string' || outcome >= 400) await delay(REFUSED_PAUSE_MS);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients ?? found.clients }, client));
  return outcomes;
}

function reply(message: AttackReply): void {
  process.send?.(message);
}

process.on('message', (order: AttackOrder) => {
  if ('end' in order) {
    ended = true;
    return;
  }
  ended = false;
  attack(order.load, order.attacker, order.clients).then(
    (outcomes) => reply({ outcomes }),
    (error: unknown) => reply({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit());
