import { Chip } from '../parts/Chip.js';
import type { StateWords } from '../strings/states.js';
import { auditWords, decisionWords, executionWords, grantWords } from '../strings/states.js';

/** A state in the words that reviewers read, too. */
const chipOf =
  <State extends string>(words: Readonly<Record<State, StateWords>>) =>
  ({ state }: { state: State }) => <Chip tone={words[state].tone}>{words[state].word}</Chip>;

export const Decision = chipOf(decisionWords);
export const Audit = chipOf(auditWords);
export const Grant = chipOf(grantWords);
export const Execution = chipOf(executionWords);
