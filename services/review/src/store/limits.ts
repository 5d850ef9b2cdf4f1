import { Refusal } from '@countersign/protocol';
import type { AttentionPolicy } from '@countersign/protocol';
import { TOO_MANY } from './signing.js';

// How many yes-votes a person gives on a route (protocol §18.12). The buckets are the database's: no two processes have one each.

const SECONDS = { approval_hour: 3600, approval_day: 86_400 } as const;
type Limit = keyof typeof SECONDS;

/** CTE that takes a token of each limit for each row of `from`; a limit of 0 is none. Without a token the statement fails. */
export function limits(from: string): string {
  const taken = (limit: Limit, most: string) => `CASE WHEN ${most}::float8 > 0 THEN
      take_token($1, '${limit}', :person || ' ' || :limited_on, ${most}::float8 * 60 / ${SECONDS[limit]}, ${most}::float8, '${limit}')::text
    END`;
  return `limits AS (
    SELECT ${taken('approval_hour', ':per_hour')} AS hour, ${taken('approval_day', ':per_day')} AS day FROM ${from}
  )`;
}

/** Throws `reviewer_rate`, with the time until a token is there, for a step that a limit has undone. */
export async function withinLimits<T>(
  policy: Pick<AttentionPolicy, 'per_hour' | 'per_day'> | null,
  step: () => Promise<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    if (policy === null || code !== TOO_MANY) throw error;
    const limit: Limit = message === 'approval_day' ? 'approval_day' : 'approval_hour';
    const most = limit === 'approval_day' ? policy.per_day : policy.per_hour;
    throw new Refusal('reviewer_rate', { retryAfter: Math.ceil(SECONDS[limit] / most) });
  }
}
