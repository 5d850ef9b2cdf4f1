import type { ForkOptions } from 'node:child_process';
import { forkChild } from '../child.js';
import type { Child } from '../child.js';
import type { Ends } from '../ends.js';
import type { Product } from '../product.js';
import type { AttackReply, Outcomes } from './attack.js';
import type { Attacker } from './loads.js';
import type { QuietFigures, QuietOrder, QuietReply } from './quiet.js';

/** A process of the bench, which ends with it. */
export function startChild(file: string, ends: Ends, options: ForkOptions = {}): Child {
  const forked = forkChild(file, options);
  ends.push(() => forked.stop());
  return forked;
}

/** The tenant whose calls are measured, for a while. */
export async function measured(quiet: Child, order: QuietOrder): Promise<QuietFigures> {
  quiet.send(order);
  const reply = await quiet.next<QuietReply>();
  if ('error' in reply) throw new Error(`the quiet tenant: ${reply.error}`);
  return reply.figures;
}

/** Makes a load of `LOADS` while the other tenant is measured; `clients` instead of those of the load. */
export async function attacked(
  attackers: Child,
  order: { readonly load: string; readonly attacker: Attacker; readonly clients?: number },
  meanwhile: () => Promise<QuietFigures>,
): Promise<{ readonly during: QuietFigures; readonly outcomes: Outcomes }> {
  attackers.send(order);
  replied(await attackers.next<AttackReply>());
  const during = await meanwhile();
  attackers.send({ end: true });
  const reply = replied(await attackers.next<AttackReply>());
  return { during, outcomes: 'outcomes' in reply ? reply.outcomes : {} };
}

/** The demonstration's first tenant, which makes the load. */
export function attackerOf({ demo, target }: Product): Attacker {
  const bearer = ({ token }: { token: string }) => ({ authorization: `Bearer ${token}` });
  return {
    origin: demo.origin,
    route: demo.routes.execution,
    reviewRoute: demo.routes.review,
    producer: bearer(demo.producer),
    publisher: bearer(demo.publisher),
    operator: bearer(demo.operator),
    reviewers: target.reviewers,
  };
}

function replied(reply: AttackReply): AttackReply {
  if ('error' in reply) throw new Error(`the load: ${reply.error}`);
  return reply;
}
