/** One person as the directory of one tenant has them. */
export interface PersonEntry {
  readonly tenant: string;
  readonly principal: string;
}

/** Whether a principal logs in; the others call with a token. */
export const isPerson = (of: string) => `${of}.kind IN ('human', 'auditor')`;
