import { APPROVAL_CODES, HOLD_CODES, KEY_CODES } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import { APPROVAL_RECORDS, HOLD_RECORDS, KEY_RECORDS } from '../records/index.js';

interface Parts {
  readonly records: Readonly<Record<string, object>>;
  readonly codes: readonly ErrorCode[];
}

/** What each capability adds to the description of the API. */
const PARTS: Readonly<Record<string, Parts>> = {
  'proto.approval': { records: APPROVAL_RECORDS, codes: APPROVAL_CODES },
  'proto.human-key': { records: KEY_RECORDS, codes: KEY_CODES },
  'proto.legal-hold': { records: HOLD_RECORDS, codes: HOLD_CODES },
};

/** The names of all records that only a capability adds. */
export const CAPABILITY_RECORD_NAMES: readonly string[] = Object.values(PARTS).flatMap(
  ({ records }) => Object.keys(records),
);

/** The parts of the offered capabilities, by their names; `offered` has each with its version. */
export function partsOf(
  offered: Readonly<Record<string, string>>,
): readonly (Parts & { readonly capability: string; readonly version: string })[] {
  return Object.entries(PARTS).flatMap(([capability, parts]) => {
    const version = offered[capability];
    return version === undefined ? [] : [{ ...parts, capability, version }];
  });
}
