import { join } from 'node:path';
import type { Client } from '../../support/client.js';
import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Demo, Instance, InstanceOptions } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';

/** The callers: the producer, one reviewer with a session, the operator. */
export interface Cast {
  readonly demo: Demo;
  readonly producer: Client;
  readonly reviewer: Client;
  readonly operator: Client;
}

export interface FaultFixture {
  readonly instance: Instance;
  readonly cast: Cast;
}

/** Two of all that a call or its anchor passes; the workers of deadlines and deliveries are one each. */
const SERVICES = {
  gateway: 2,
  schema: 2,
  request: 2,
  review: 2,
  'execution-authority': 2,
  ledger: 2,
  notifier: 2,
  'worker-anchor': 2,
};

/**
 * Starts the product in split mode over stores of its own, with two replicas of each service when `replicas` are not given. FAULT_DATA names a
 * directory that keeps the data and logs of each run for debugging.
 */
export async function startFaultFixture(
  name: string,
  options: Pick<InstanceOptions, 'quotas' | 'env' | 'dataDirectory' | 'replicas'> = {},
): Promise<FaultFixture> {
  const kept = process.env['FAULT_DATA'];
  const instance = await startInstance({
    split: true,
    replicas: SERVICES,
    ...(kept === undefined ? {} : { dataDirectory: join(kept, `${name}-${Date.now()}`) }),
    ...options,
  });
  const { demo, dataDirectory } = instance;
  const reviewer = demo.people[1] as { id: string };
  return {
    instance,
    cast: {
      demo,
      producer: producerOf(demo),
      reviewer: await personOf(demo, dataDirectory, reviewer.id),
      operator: operatorOf(demo),
    },
  };
}
