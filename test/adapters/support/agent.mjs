// What the agents of all frameworks have in common. Each is started anew for each step:
//   node <framework>.mjs guarded|own start|resume STATE '{"calls": […], "approve": […]}'
// and prints `{ waits: […], text }`. Its tool notes each transfer in the file EFFECTS; with CRASH it dies behind that.
import { appendFileSync } from 'node:fs';
import { connect } from '@countersign/client/node';
import { fileJournal } from '@countersign/guard/node';

const [, , kind, step, file, text] = process.argv;
export const isGuarded = kind === 'guarded';
export const isStart = step === 'start';
export const stateFile = file;
export const { calls = [], approve = true } = JSON.parse(text);
export const client = isGuarded ? await connect() : null;

const { EFFECTS, ROUTE, JOURNAL, CRASH, REVIEW_SECONDS } = process.env;
export const rule = {
  route: ROUTE,
  executionSeconds: 20,
  journal: isGuarded ? fileJournal(JOURNAL) : undefined,
  ...(REVIEW_SECONDS !== undefined && { reviewSeconds: Number(REVIEW_SECONDS) }),
};

export function transfer({ amount }) {
  appendFileSync(EFFECTS, `${amount}\n`);
  if (CRASH !== undefined) process.kill(process.pid, 'SIGKILL');
  return `transferred ${amount}`;
}

export const schema = {
  type: 'object',
  properties: { amount: { type: 'number' } },
  required: ['amount'],
  additionalProperties: false,
};

export function tell(waits, said) {
  console.log(JSON.stringify({ waits, text: said }));
  process.exit(0);
}
