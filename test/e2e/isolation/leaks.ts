import type { Answer, Client } from '../../support/client.js';
import { inParallel } from '../../support/parallel.js';
import type { Built } from '../matrix/building.js';
import { occurrenceOf } from './references.js';
import type { Target } from './targets.js';

/** Everything that a caller can read without naming anybody: lists, feeds, chain and metrics, page by page. */
async function allThatIsRead(client: Client): Promise<string> {
  const texts: string[] = [];
  const read = async (path: string): Promise<Answer> => {
    const answer = await client.get(path);
    texts.push(answer.text);
    return answer;
  };
  for (const state of ['', 'pending', 'confirmed', 'cancelled', 'expired', 'superseded']) {
    for (let offset: number | null = 0; offset !== null;) {
      const { body }: Answer = await read(`/v2/requests?state=${state}&offset=${offset}`);
      offset = body?.next_offset ?? null;
    }
  }
  for (let after = 0; ;) {
    const { body } = await read(`/v2/events?after=${after}`);
    if (!(body?.next > after)) break;
    after = body.next;
  }
  for (let after = 0; ;) {
    const { body } = await read(`/v2/admin/ledger?after=${after}`);
    if (!Array.isArray(body) || body.length === 0) break;
    after = Number(body.at(-1).sequence);
  }
  await read('/operator/data/security-log');
  await read('/operator/data/security-log/pages');
  await read('/v2/admin/metrics');
  await read('/v2/admin/metrics.prom');
  return texts.join('\n');
}

/** Words that only permitted callers of a request can have seen. */
function marksOf(built: Built): readonly string[] {
  const { id, claim, candidates, steps, input } = built;
  const digest = steps[0]?.answer.body.request_digest as string;
  return [
    id,
    digest,
    ...(input['execution'] === undefined ? [] : [occurrenceOf(built)]),
    ...(claim === null ? [] : [claim.id, claim.identity]),
    ...candidates.flatMap((candidate) => (candidate === null ? [] : [candidate.candidate_id])),
  ];
}

/** Marks of requests in anything that their strangers can read. */
export async function leakFindings(
  targets: readonly Target[],
): Promise<{ findings: readonly string[]; marks: number }> {
  const clients = [
    ...new Set(targets.flatMap(({ strangers }) => strangers.map(({ client }) => client))),
  ];
  const read = new Map(
    await inParallel(clients, 4, async (client) => [client, await allThatIsRead(client)] as const),
  );
  const checks = targets.flatMap(({ built, scenario, strangers }) =>
    strangers.flatMap(({ name, client }) =>
      marksOf(built).map((mark) => ({
        leaks: read.get(client)?.includes(mark) === true,
        text: `${name} reads ${mark} of ${built.situation.name}, ${scenario.name}`,
      })),
    ),
  );
  return {
    findings: checks.filter(({ leaks }) => leaks).map(({ text }) => text),
    marks: checks.length,
  };
}
