import { FIGURE_RANGES, Refusal, jsonText } from '@countersign/protocol';
import type { AdminFigures, AdminReadRowOf, FigureRange } from '@countersign/protocol';
import { requireCaller, requireOperator } from '@countersign/database';
import { answer } from '@countersign/platform';
import type { AdminCall } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';

const RANGES = Object.keys(FIGURE_RANGES) as FigureRange[];
const DAY_MS = 86_400_000;

/** `request.desk-figures`: how reviews of the tenant went in a range of time, for operators (decisions/0027). */
export function figures(deps: RequestDeps) {
  return async ({ caller, params }: AdminCall<AdminReadRowOf<'request.desk-figures'>>) => {
    const revision = await deps.directory.revision(caller.tenant);
    requireOperator(await requireCaller(deps.directory, caller, revision));
    const range = RANGES.find((known) => known === (params.range ?? '24h'));
    if (range === undefined) {
      throw new Refusal('invalid_state', { detail: `“range” is one of ${RANGES.join(', ')}.` });
    }
    const [found, concerns] = await Promise.all([
      deps.figures.read(caller.tenant, FIGURE_RANGES[range]),
      deps.figures.concerns(caller.tenant),
    ]);
    const stamp = (at: number) => new Date(at).toISOString();
    const { from, to, complete_from, buckets, ...rest } = found;
    // Every range has buckets of a day or less, so that those of the last day are whole.
    const lastDay = buckets.filter(({ at }) => at > to - DAY_MS - 1_000);
    const sum = (of: (bucket: (typeof buckets)[number]) => number) =>
      lastDay.reduce((all, bucket) => all + of(bucket), 0);
    const body: AdminFigures = {
      range,
      from: stamp(from),
      to: stamp(to),
      complete_from: complete_from === null ? null : stamp(complete_from),
      buckets: buckets.map(({ at, ...bucket }) => ({ at: stamp(at), ...bucket })),
      ...rest,
      concerns: {
        ...concerns,
        expired_24h: sum(({ expired }) => expired),
        arrived_24h: sum(({ arrivals }) => arrivals),
        ended_24h: sum(({ decided, expired, withdrawn }) => decided + expired + withdrawn),
      },
    };
    return answer(200, jsonText(body));
  };
}
