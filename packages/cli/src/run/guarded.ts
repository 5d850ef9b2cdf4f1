import type { Client } from '@countersign/client/node';
import { guard } from '@countersign/guard/node';
import type { GuardOptions, Guarded, Journal } from '@countersign/guard/node';

import { execute, probe } from './execute.js';
import type { Execution } from './execute.js';
import type { Proposal } from './proposal.js';

/** Name of the guard, which is signed. */
const NAME = 'countersign.run';

interface GuardedRun {
  readonly client: Client;
  readonly journal: Journal;
  readonly execution: Execution;
  readonly options: Omit<GuardOptions<Proposal>, 'name' | 'journal' | 'probe'>;
  /** Called when the command is about to start. */
  onStart(): void;
}

/** The guard around a command. */
export function guardedRun(run: GuardedRun): Guarded<Proposal, number> {
  const { client, journal, execution, options, onStart } = run;
  const { tokenVariable } = execution;
  return guard(
    client,
    {
      ...options,
      // A command goes on when this process is killed.
      ...{ name: NAME, journal, outlives: true },
      probe: (proposal: Proposal, about) => probe(proposal, about, tokenVariable),
    },
    (proposal: Proposal, about) => {
      onStart();
      return execute(proposal, about, execution);
    },
  );
}
