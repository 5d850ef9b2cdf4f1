import type { Answer, Client } from '../../support/client.js';
import { inParallel } from '../../support/parallel.js';
import type { Built } from './building.js';
import type { Finding } from './finding.js';
import { expectationOf } from './reading.js';
import type { Scenario } from './scenarios.js';

const STATES = ['pending', 'confirmed', 'cancelled', 'expired', 'superseded'];

type Item = Readonly<Record<'id' | 'decision' | 'audit' | 'grant' | 'execution', string>>;

/** `request.list` by all callers, each state filter to its last page, compared with the table. */
export async function listFindings(
  built: readonly { readonly scenario: Scenario; readonly built: Built }[],
): Promise<{ findings: readonly Finding[]; cells: number }> {
  const clients = [...new Set(built.flatMap(({ scenario }) => Object.values(scenario.callers)))];
  const lists = new Map(
    await inParallel(clients, 4, async (client) => [client, await listOf(client)] as const),
  );
  const cells = built.flatMap(({ scenario, built: request }) =>
    Object.entries(scenario.callers).map(([caller, client]) => {
      const fault = faultOf(request, caller, lists.get(client) as List);
      const text = `list by ${caller}, ${scenario.name}: ${fault}`;
      return fault === null ? null : { situation: request.situation.name, text };
    }),
  );
  return { findings: cells.filter((cell) => cell !== null), cells: cells.length };
}

/** By the state that was asked for; or the refusal. */
type List = ReadonlyMap<string, ReadonlyMap<string, Item>> | Answer;

async function listOf(client: Client): Promise<List> {
  const found = new Map<string, Map<string, Item>>();
  for (const state of STATES) {
    const items = new Map<string, Item>();
    for (let offset: number | null = 0; offset !== null;) {
      const answer: Answer = await client.get(`/v2/requests?state=${state}&offset=${offset}`);
      if (answer.status !== 200) return answer;
      for (const item of answer.body.items as Item[]) items.set(item.id, item);
      offset = answer.body.next_offset;
    }
    found.set(state, items);
  }
  return found;
}

function faultOf({ situation, id }: Built, caller: string, list: List): string | null {
  const expected = expectationOf(situation, 'list', caller);
  if (expected === null) return null;
  if ('status' in list) {
    const fits = list.status === expected.status && list.body.error === expected.code;
    return fits ? null : `${list.status} ${list.body.error}, not ${expected.text}`;
  }
  if (expected.status !== 200) return `200, not ${expected.text}`;
  const { states } = situation;
  const in_ = STATES.filter((state) => list.get(state)?.has(id) === true);
  const wanted = expected.unlisted ? [] : [states.decision];
  if (in_.join() !== wanted.join()) return `listed as [${in_.join()}], not [${wanted.join()}]`;
  const item = list.get(states.decision)?.get(id);
  if (item === undefined) return null;
  const { decision, audit, grant, execution } = item;
  const found = JSON.stringify({ decision, audit, grant, execution });
  return found === JSON.stringify(states) ? null : `listed as ${found}`;
}
