import { Refusal } from '@countersign/protocol';
import type { Bus, BusRequest } from '../bus/types.js';
import type { Logger } from '../log.js';
import type { Module } from '../module.js';
import { SCHEMA_SUBJECT } from '../subjects.js';
import { jobKey, sharedWork } from './jobs.js';
import { SchemaPool } from './pool.js';

const QUEUE = 'schema';

/** The target `schema`: processes that check, and their place on the bus. */
export function schemaModules(bus: Bus, log: Logger): Module[] {
  const pool = new SchemaPool(log);
  // A slow job comes again, for its caller can't know whether it was lost.
  const once = sharedWork();
  return [
    {
      name: 'schema processes',
      start: () => pool.start(),
      stop: () => pool.stop(),
      ready: async () => {
        if (!pool.ready()) throw new Error('no process for schema checks is running');
      },
    },
    {
      name: 'schema',
      start: () =>
        bus.serve(SCHEMA_SUBJECT, QUEUE, async (request) => {
          const { tenant, job } = jobOf(request);
          await once(jobKey(tenant, job), () => pool.check(tenant, job));
          return { status: 200, body: '' };
        }),
      stop: async () => {},
    },
  ];
}

/** The header `tenant` says whose job it is; the body is the schema, and behind a line end the response. */
function jobOf({ headers, body }: BusRequest) {
  const { tenant } = headers;
  const [schemaText = '', responseText = null, ...more] = body.split('\n');
  if (typeof tenant !== 'string' || more.length > 0) {
    throw new Refusal('schema_validation_unavailable', { cause: new Error('not a schema job') });
  }
  return { tenant, job: { schemaText, responseText } };
}
