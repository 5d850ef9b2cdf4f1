import { createHash } from 'node:crypto';
import { Refusal } from '@countersign/protocol';
import type { SchemaJob } from '@countersign/protocol';
import { busFaultOf } from '../bus/fault.js';
import { createFurtherTries } from '../bus/further-tries.js';
import type { Bus, BusReply } from '../bus/types.js';
import { untilDelivered } from '../bus/until-delivered.js';
import { SCHEMA_SUBJECT } from '../subjects.js';
import { SCHEMA_CHECK_LIMITS } from './limits.js';

/** Good jobs that are remembered; a key is 32 bytes. */
const MOST_REMEMBERED = 10_000;

/** Nearly all jobs take some milliseconds: a process that is silent for so long may be gone, and another one is asked. */
const SILENT_MS = 800;
/** A job takes no longer there; the rest is for those that were sent to a process that is gone. */
const ANSWER_WITHIN_MS = SCHEMA_CHECK_LIMITS.totalMs + 6 * SILENT_MS;

/**
 * Asks the target `schema` about response schemas and responses. Good results are cached: the same schema comes with every
 * request of a producer, and is checked once.
 */
export class SchemaChecks {
  readonly #good = new Set<string>();
  readonly #asked = new Map<string, Promise<void>>();
  readonly #repeated = createFurtherTries({ afterMs: SILENT_MS });

  constructor(private readonly bus: Pick<Bus, 'call'>) {}

  /** Resolves when the schema (and the response, unless null) is good; rejects with a `Refusal` of protocol §10. */
  async check(tenant: string, job: SchemaJob): Promise<void> {
    const { schemaText, responseText } = job;
    const bytes = Buffer.byteLength(schemaText) + Buffer.byteLength(responseText ?? '');
    if (bytes > SCHEMA_CHECK_LIMITS.jobBytes) throw new Refusal('schema_validation_too_large');
    const key = jobKey(tenant, job);
    if (this.#good.has(key)) return;
    await this.#once(key, tenant, job);
    // The first key is the one that was put in longest ago.
    if (this.#good.size >= MOST_REMEMBERED) this.#good.delete(this.#good.keys().next().value ?? '');
    this.#good.add(key);
  }

  /** Many requests with one new schema at once are one question. */
  #once(key: string, tenant: string, job: SchemaJob): Promise<void> {
    const asked = this.#asked.get(key);
    if (asked !== undefined) return asked;
    const answer = this.#ask(tenant, job).finally(() => this.#asked.delete(key));
    this.#asked.set(key, answer);
    return answer;
  }

  async #ask(tenant: string, { schemaText, responseText }: SchemaJob): Promise<void> {
    try {
      const body = responseText === null ? schemaText : `${schemaText}\n${responseText}`;
      const send = (timeoutMs: number): Promise<BusReply> =>
        this.bus.call(SCHEMA_SUBJECT, { timeoutMs, tenant }, body);
      await untilDelivered(ANSWER_WITHIN_MS, { mayRepeat: true }, (timeoutMs) =>
        this.#repeated(timeoutMs, send),
      );
    } catch (error) {
      const fault = busFaultOf(error);
      if (fault === null) throw error;
      const code =
        fault === 'overloaded' ? 'schema_validation_busy' : 'schema_validation_unavailable';
      // The fault itself as the cause would travel on in place of the code.
      throw new Refusal(code, { retryAfter: 1, cause: error });
    }
  }
}

/** One key per tenant and job: a tenant learns nothing of another's schemas from how long its own take. */
function jobKey(tenant: string, { schemaText, responseText }: SchemaJob): string {
  const hash = createHash('sha256');
  for (const part of [tenant, schemaText, responseText ?? '']) {
    hash.update(`${part.length}:`).update(part);
  }
  return hash.update(responseText === null ? '-' : '+').digest('base64');
}
