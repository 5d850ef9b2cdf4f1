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

/**
 * Starts the product in split mode with two replicas of each service, over stores of its own. FAULT_DATA names a
 * directory that keeps the data and logs of each run for debugging.
 */
export async function startFaultFixture(
  name: string,
  options: Pick<InstanceOptions, 'quotas' | 'env' | 'dataDirectory'> = {},
): Promise<FaultFixture> {
  const kept = process.env['FAULT_DATA'];
  const instance = await startInstance({
    split: true,
    replicas: 2,
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
