import { status as statusOperation } from '@countersign/client/node';
import type { Client, Goal } from '@countersign/client/node';

import { EXITS, exitOfStatus } from '../exits.js';
import { printJson, printValue } from '../output.js';
import { reportOf, responseTo, sentenceOf } from '../report.js';
import type { Terminal } from '../terminal.js';
import { waitFor } from '../waiting.js';
import type { Interruptions } from '../waiting.js';

interface Finish {
  readonly client: Client;
  readonly id: string;
  readonly goal: Goal;
  readonly options: { readonly wait?: number; readonly json?: true };
  readonly terminal: Terminal;
  /** Taken before the request was named to the caller, who may interrupt the command from then on. */
  readonly interrupted?: Interruptions;
}

/** Waits, prints the answer and sets the exit code. */
export async function finish(given: Finish): Promise<void> {
  const { client, id, goal, options, terminal, interrupted } = given;
  const { wait } = options;
  const { isReached, status: last } = await waitFor(client, id, goal, wait, terminal, interrupted);
  const status = last ?? (await client.call(statusOperation, { id }));
  const response = await responseTo(client, status);
  const code = isReached || goal === 'decided' ? exitOfStatus(status, goal) : EXITS.open;
  terminal.say(sentenceOf(status));
  if (code === EXITS.open) terminal.say(`Still open. Wait for it: countersign wait ${id}`);
  if (options.json === true)
    printJson({ ...reportOf(status), response: response ?? null, exit_code: code });
  else if (response !== undefined) printValue(response);
  process.exitCode = code;
}
