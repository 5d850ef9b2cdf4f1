// Words about verifying a whole chain: the ledger, or the security log.

export interface ChainWords {
  readonly verify: string;
  readonly holds: string;
  readonly holdsWhat: (entries: string, signatures: string) => string;
  /** What else is to be said of a chain that holds, if anything. */
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
    'What comes before it holds; what comes after it proves nothing. Keep this database, the anchor store and the logs as they are, and compare with a copy of your own.',
  stopped: 'Stopped',
  stoppedWhat: (entries: string) =>
    `The first ${entries} entries hold. The rest was not looked at.`,
  entry: 'Entry',
  head: 'Head',
  broken: 'The verification could not go on',
  showEntry: (entry: string) => `Show entry ${entry}`,
} as const;

export const ledgerWords: ChainWords = {
  verify: 'Verify the whole ledger',
  holds: 'The ledger holds',
  holdsWhat: (entries, records) =>
    `${entries} entries follow from one another without a gap. ${records} records are the ones that were chained, and their signatures are good.`,
  beside: (entries, records) =>
    records < entries
      ? `The texts of ${(entries - records).toLocaleString()} entries are gone by retention; their digests stay in the chain.`
      : null,
  empty: 'The ledger is empty.',
  fails: 'The ledger does NOT hold',
  headHint:
    'Compare it with the checkpoint of the same number in your anchor store: only then is it known that nothing was cut off or rewritten as a whole.',
};

export const logWords: ChainWords = {
  verify: 'Verify the whole log',
  holds: 'The security log holds',
  holdsWhat: (entries, checkpoints) =>
    `${entries} entries follow from one another without a gap. ${checkpoints} checkpoints lie on the chain, and their signatures are good.`,
  beside: (_, checkpoints) =>
    checkpoints === 0
      ? 'There is no checkpoint yet, so nothing signed says that the log was not rewritten. The first comes within minutes.'
      : null,
  empty: 'The security log is empty.',
  fails: 'The security log does NOT hold',
  headHint:
    'Entries behind the last checkpoint are not signed yet. Compare checkpoints with your anchor store, by “countersign verify” on the JSON file: only then is it known that nothing was cut off or rewritten as a whole.',
};
