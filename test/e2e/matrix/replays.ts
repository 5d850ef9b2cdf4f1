import { inParallel } from '../../support/parallel.js';
import type { Built, Step } from './building.js';
import type { Finding } from './finding.js';
import { replayOf } from './reading.js';
import type { Expected, Situation } from './reading.js';

/** Every call that led anywhere, once more with its key: with its body and with another. */
export async function replayFindings(
  built: readonly Built[],
): Promise<{ findings: readonly Finding[]; calls: number }> {
  const replays = built.flatMap(({ situation, steps }) =>
    steps.flatMap((step) => [true, false].map((sameBody) => ({ situation, step, sameBody }))),
  );
  const faults = await inParallel(replays, 8, async ({ situation, step, sameBody }) => {
    const fault = await faultOf(situation, step, sameBody);
    const what = sameBody ? 'once more' : 'with another body';
    return fault === null
      ? []
      : [{ situation: situation.name, text: `${step.call} ${what}: ${fault}` }];
  });
  return { findings: faults.flat(), calls: replays.length };
}

async function faultOf(
  situation: Situation,
  step: Step,
  sameBody: boolean,
): Promise<string | null> {
  const { call, client, path, body, key, answer: stored } = step;
  const answer = await client.post(path, sameBody ? body : otherBody(call, body), { key });
  const expected: Expected | null = replayOf(situation, call, sameBody);
  if (expected === null) {
    const same = answer.status === stored.status && answer.text === stored.text;
    return same ? null : `${answer.status}, not what was stored: ${answer.text.slice(0, 200)}`;
  }
  const fits = answer.status === expected.status && answer.body?.error === expected.code;
  return fits ? null : `${answer.status} ${answer.body?.error ?? ''}, not ${expected.text}`;
}

/** As good as the first, and not the same. */
function otherBody(call: string, body: unknown): unknown {
  const given = body as Record<string, any>;
  switch (call) {
    case 'create':
    case 'supersede':
      return { ...given, summary: 'Something else' };
    case 'candidates':
      return { ...given, response: { note: 'something else' } };
    case 'confirm':
      return { ...given, candidate_digest: `sha256:${'1'.repeat(64)}` };
    case 'claims':
      return { ...given, execution_identity: 'executor/other' };
    case 'outcomes':
    case 'reconcile':
      return { ...given, details: { ...given['details'], more: true } };
    default:
      return { more: true };
  }
}
