import type { Answer, Client } from '../../support/client.js';
import type { Truths } from '../../support/truths.js';
import { isBackground } from '../../support/truths.js';
import { ask } from './asking.js';
import type { Asked } from './asking.js';
import { statesOf } from './building.js';
import type { Built } from './building.js';
import type { Cell, CellGroup } from './plan.js';
import { isHarmless } from './plan.js';
import { recordsOf } from './reading.js';

/** Asks one cell; returns the differences from the table. */
export async function faultsOf(cell: Cell, built: Built, turn: number): Promise<readonly string[]> {
  const { operation, caller, expected, scenario } = cell;
  const client = scenario.callers[caller] as Client;
  const asked = await ask(built, operation, { name: caller, client }, turn);
  const { status, body } = asked.answer;
  const code = status >= 400 ? body?.error : null;
  const faults =
    status !== expected.status || code !== expected.code
      ? [`${status} ${code ?? ''}`]
      : isHarmless(cell)
        ? []
        : await consequenceFaults(cell, built, asked);
  const about = `${operation} by ${caller}, ${scenario.name}`;
  return faults.map((fault) => `${about}: ${fault}, not ${expected.text}`);
}

async function consequenceFaults(
  { operation, expected, scenario }: Cell,
  built: Built,
  { answer, reported }: Asked,
): Promise<string[]> {
  const { operator } = scenario;
  const after = await operator.get(`/v2/requests/${built.id}`);
  const wanted = Object.entries({ ...built.situation.states, ...expected.moves }).map(
    ([machine, state]) => [machine, state === '@' ? reported : state],
  );
  const found = JSON.stringify(Object.entries(statesOf(after)));
  const states = found === JSON.stringify(wanted) ? [] : [`is ${found} now`];
  if (operation === 'discard') {
    const { status } = await operator.get(`/v2/requests/${built.id}/material`);
    if (status !== 410) states.push(`material is ${status} now`);
  }
  return [...states, ...answerFaults(operation, built, answer)];
}

/** The faults in the answer of a success beside its status. */
function answerFaults(operation: string, built: Built, { body, text }: Answer): string[] {
  switch (operation) {
    case 'supersede': {
      const successor = body.request.supersedes === built.id && body.decision_state === 'pending';
      return successor ? [] : ['no pending successor'];
    }
    case 'outcomes again': {
      const existing = built.steps.find(({ call }) => call === 'outcomes')?.answer.text;
      return text === existing ? [] : ['another record'];
    }
    default:
      return [];
  }
}

/** The fault when a group's records about its request differ from the table. */
export function recordFault(group: CellGroup, built: Built, before: Truths, after: Truths) {
  const { demo, fenced } = group.scenario;
  const about = `${fenced ? demo.other.tenant : demo.tenant} ${built.id}`;
  const news = (after.told.get(about) ?? []).slice(before.told.get(about)?.length ?? 0);
  // Deletion happens once, and not to deleted material.
  const deletes = built.situation.gone ? [] : group.cells.filter(isDiscard).slice(0, 1);
  const wanted = group.cells
    .filter((cell) => !isDiscard(cell) || deletes.includes(cell))
    .flatMap(({ operation }) => recordsOf(operation));
  const found = news.filter((told) => !isBackground([told])).map((told) => told.split(' ')[0]);
  const ofDeletion = ['MaterialDiscarded', 'material_deleted'];
  const told = built.situation.gone
    ? found.filter((record) => !ofDeletion.includes(record as string))
    : found;
  return told.join() === wanted.join() ? null : `wrote [${told.join()}], not [${wanted.join()}]`;
}

function isDiscard({ operation }: Cell): boolean {
  return operation === 'discard';
}
