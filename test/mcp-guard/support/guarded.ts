import { personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import type { Installed } from '../../cli/support/packed.js';
import { installed } from '../../cli/support/packed.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { decide, until } from '../../support/requests.js';
import type { Bank, BankOptions } from './bank.js';
import { newBank } from './bank.js';
import type { Session } from './session.js';

/** What a file of tests has: an instance, the packed command, and its people. */
export interface Guarded {
  readonly instance: Instance;
  readonly cli: Installed;
  readonly reviewer: Client;
  readonly producer: Client;
  bank(policy?: string): Promise<Bank>;
  /** A guard that ends with the test. */
  start(bank: Bank, options?: BankOptions): Session;
  authorise(id: string): Promise<unknown>;
  executionOf(id: string): Promise<string>;
  /** The id of the request of a call that is held open, from its progress. */
  held(session: Session): Promise<string>;
}

/** Starts it before the tests of this file, and stops it behind them. */
export function guardedForAll(): Guarded {
  const guarded = {} as { -readonly [name in keyof Guarded]: Guarded[name] };
  const sessions: Session[] = [];
  beforeAll(async () => {
    const instance = await startInstance();
    const cli = await installed(instance);
    const { demo, dataDirectory } = instance;
    const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    Object.assign(guarded, { instance, cli, reviewer, producer: producerOf(demo) });
  }, 120_000);
  afterEach(() => {
    for (const { process } of sessions.splice(0)) process.kill('SIGKILL');
  });
  afterAll(async () => {
    guarded.cli?.remove();
    await guarded.instance?.stop();
  }, 60_000);
  return Object.assign(guarded, {
    bank: (policy?: string) => newBank(guarded.instance, guarded.cli, policy),
    start(bank: Bank, options?: BankOptions) {
      const session = bank.start(options);
      sessions.push(session);
      return session;
    },
    authorise: (id: string) => decide(guarded.reviewer, id, 'authorise', { note: 'go' }),
    executionOf: async (id: string) =>
      (await guarded.producer.get(`/v2/requests/${id}`)).body.execution_state as string,
    async held({ lines }: Session) {
      const told = await until(
        async () => lines.find((line) => line.includes('notifications/progress')),
        (line) => line !== undefined,
      );
      return /\/review\/([\w-]+)/.exec(told as string)![1]!;
    },
  });
}
