// Texts about verifying a whole chain: the ledger, or the security log.

import { number } from '../text/locale.js';

export interface ChainWords {
  readonly verify: string;
  readonly holds: string;
  readonly holdsWhat: (entries: string, signatures: string) => string;
  /** A further remark on a chain that holds, if any. */
  readonly beside: (entries: number, signatures: number) => string | null;
  readonly empty: string;
  readonly fails: string;
  readonly headHint: string;
}

export const chainWords = {
  verifyAgain: 'Verify it again',
  stop: 'Stop',
  progress: (entries: string, rate: string) => `${entries} entries verified, ${rate} a second`,
  verifying: 'Verifying',
  failsWhat: (sequence: string) => `Entry ${sequence} is the first that does not verify:`,
  failsNext:
    'Earlier entries hold; later ones prove nothing. Preserve this database, the anchor store and the logs, and compare with your own copy.',
  stopped: 'Stopped',
  stoppedWhat: (entries: string) => `The first ${entries} entries hold. The rest was not checked.`,
  entry: 'Entry',
  head: 'Head',
  broken: 'The verification could not continue',
  showEntry: (entry: string) => `Show entry ${entry}`,
} as const;

export const ledgerWords: ChainWords = {
  verify: 'Verify the whole ledger',
  holds: 'The ledger holds',
  holdsWhat: (entries, records) =>
    `${entries} entries follow from one another without a gap. ${records} records match their chained digests, and their signatures are valid.`,
  beside: (entries, records) =>
    records < entries
      ? `The texts of ${number(entries - records)} entries were deleted by retention; their digests stay in the chain.`
      : null,
  empty: 'The ledger is empty.',
  fails: 'The ledger does NOT hold',
  headHint:
    'Compare it with the checkpoint of the same number in your anchor store. Only that shows that the chain was not cut off or rewritten as a whole.',
};

export const logWords: ChainWords = {
  verify: 'Verify the whole log',
  holds: 'The security log holds',
  holdsWhat: (entries, checkpoints) =>
    `${entries} entries follow from one another without a gap. ${checkpoints} checkpoints match the chain, and their signatures are valid.`,
  beside: (_, checkpoints) =>
    checkpoints === 0
      ? 'There is no checkpoint yet, so no signature shows that the log was not rewritten. The first one follows within minutes.'
      : null,
  empty: 'The security log is empty.',
  fails: 'The security log does NOT hold',
  headHint:
    'Entries after the last checkpoint are not signed yet. Compare checkpoints with your anchor store, with “countersign verify” on the JSON file. Only that shows that the log was not cut off or rewritten as a whole.',
};
