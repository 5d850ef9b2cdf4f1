import { Refusal } from '@countersign/protocol';
import type { SchemaJob } from '@countersign/protocol';
import { busFaultOf } from '../bus/fault.js';
import { createFurtherTries } from '../bus/further-tries.js';
import type { Bus, BusReply } from '../bus/types.js';
import { untilDelivered } from '../bus/until-delivered.js';
import { SCHEMA_SUBJECT } from '../subjects.js';
import { jobKey, sharedWork } from './jobs.js';
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
  readonly #asked = sharedWork();
  readonly #repeated = createFurtherTries({ afterMs: SILENT_MS });

  constructor(private readonly bus: Pick<Bus, 'call' | 'local'>) {}

  /** Resolves when the schema (and the response, unless null) is good; rejects with a `Refusal` of protocol §10. */
  async check(tenant: string, job: SchemaJob): Promise<void> {
    const { schemaText, responseText } = job;
    const bytes = Buffer.byteLength(schemaText) + Buffer.byteLength(responseText ?? '');
    if (bytes > SCHEMA_CHECK_LIMITS.jobBytes) throw new Refusal('schema_validation_too_large');
    const key = jobKey(tenant, job);
    if (this.#good.has(key)) return;
    // Many requests with one new schema at once are one question.
    await this.#asked(key, () => this.#ask(tenant, job));
    // The first key is the one that was put in longest ago.
    if (this.#good.size >= MOST_REMEMBERED) this.#good.delete(this.#good.keys().next().value ?? '');
    this.#good.add(key);
  }

  async #ask(tenant: string, { schemaText, responseText }: SchemaJob): Promise<void> {
    try {
      const body = responseText === null ? schemaText : `${schemaText}\n${responseText}`;
      const send = (timeoutMs: number): Promise<BusReply> =>
        this.bus.call(SCHEMA_SUBJECT, { timeoutMs, tenant }, body);
      // Nothing is lost within a process.
      if (this.bus.local === true) await send(ANSWER_WITHIN_MS);
      else
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
