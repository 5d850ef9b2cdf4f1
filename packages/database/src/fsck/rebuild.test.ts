import { EXAMPLES, SIGNED_RECORDS } from '@countersign/protocol';
import type { RecordType, SignedRecord } from '@countersign/protocol';
import { rebuild } from './rebuild.js';
import type { PlacedRecord } from './rebuild.js';

/** Records of a request in their order; signatures are not looked at here. */
function placed(...types: readonly RecordType[]): PlacedRecord[] {
  return types.map((type, at) => {
    const reason = at === 0 ? 'created' : 'approval';
    const payload =
      type === 'RequestChangedEvent'
        ? { ...EVENT, reason, revision: eventsUpTo(types, at) }
        : EXAMPLES[SIGNED_RECORDS[type].payload];
    const record = {
      ...EXAMPLES.SignedRecord,
      protected: { ...EXAMPLES.SignedRecord.protected, type },
      payload,
    };
    return { id: `${at}`, sequence: at + 1, record: record as unknown as SignedRecord };
  });
}

const EVENT = {
  ...EXAMPLES.RequestChangedEvent,
  state: {
    decision: 'pending',
    audit: 'unanchored',
    grant: 'none',
    execution: 'unclaimed',
  },
};
const eventsUpTo = (types: readonly RecordType[], at: number) =>
  types.slice(0, at + 1).filter((type) => type === 'RequestChangedEvent').length;

it('passes over votes and their endings, whose events leave the state as it was', () => {
  const records = placed(
    'RequestChangedEvent',
    'ApprovalRecord',
    'RequestChangedEvent',
    'ApprovalEnded',
    'RequestChangedEvent',
  );
  expect(rebuild(records)).toMatchObject({ faults: [], revision: 3, states: EVENT.state });
});

it('finds a record that is none of a request', () => {
  const records = placed('RequestChangedEvent', 'MembershipConfigured');
  expect(rebuild(records).faults).toEqual(['record_header']);
});
