import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXAMPLES } from './examples.js';
import { RECORDS, RECORD_NAMES } from './registry.js';
import type { RecordName } from './registry.js';
import { SIGNED_RECORDS } from './signed-types.js';
import { assertRecord, faultOf, validate } from './validation.js';

interface ObjectSchema {
  type?: string;
  required?: string[];
  additionalProperties?: unknown;
}

const objects = RECORD_NAMES.filter((name) => (RECORDS[name] as ObjectSchema).type === 'object');
const closed = objects.filter(
  (name) => (RECORDS[name] as ObjectSchema).additionalProperties === false,
);
const members = objects.flatMap((name) =>
  ((RECORDS[name] as ObjectSchema).required ?? []).map((member): [RecordName, string] => [
    name,
    member,
  ]),
);

describe('every record', () => {
  // Asked here alone: a process that starts does not ask it again (validation.ts).
  const judge = new Ajv2020({ strict: true, validateFormats: false });
  test.each(RECORD_NAMES)('%s is described in JSON Schema', (name) => {
    expect([judge.validateSchema(RECORDS[name]), judge.errors]).toEqual([true, null]);
  });

  test.each(RECORD_NAMES)('%s accepts its example', (name) => {
    expect(faultOf(name, EXAMPLES[name])).toBeNull();
    expect(validate(name, EXAMPLES[name])).toBe(true);
    expect(() => assertRecord(name, EXAMPLES[name])).not.toThrow();
  });

  test.each(RECORD_NAMES)('%s accepts its example after a round trip', (name) => {
    expect(validate(name, JSON.parse(JSON.stringify(EXAMPLES[name])))).toBe(true);
  });

  test.each(closed)('%s refuses an unknown member', (name) => {
    const example = EXAMPLES[name] as object;
    expect(validate(name, { ...example, unknown_member: null })).toBe(false);
    const hostile: unknown = JSON.parse(
      `{"__proto__":{},${JSON.stringify(example).slice(1)}`.replace(',}', '}'),
    );
    expect(validate(name, hostile)).toBe(false);
  });

  test.each(members)('%s refuses the absence of %s', (name, member) => {
    const { [member]: _absent, ...rest } = EXAMPLES[name] as Record<string, unknown>;
    expect(validate(name, rest)).toBe(false);
  });

  test.each(objects)('%s refuses a value that is no object', (name) => {
    for (const other of [null, [], 'text', 7, true]) expect(validate(name, other)).toBe(false);
  });

  it('is open only where the protocol says so', () => {
    const open = objects.filter((name) => !closed.includes(name));
    expect([...open].sort()).toEqual(['AgentUiCompatibility', 'Metadata', 'Profiles']);
  });

  it('has a title by which the API description refers to it', () => {
    const shared: Partial<Record<RecordName, string>> = {
      AgentUiProposeParams: 'DecisionProposal',
      AgentUiTeardownParams: 'EmptyInput',
    };
    for (const name of RECORD_NAMES) {
      expect((RECORDS[name] as { title?: string }).title).toBe(shared[name] ?? name);
    }
  });
});

describe('the signed record types', () => {
  it('are those of protocol §2.5 and §18–§20', () => {
    const inLedger = Object.entries(SIGNED_RECORDS).filter(([, { ledger }]) => !ledger);
    expect(Object.keys(SIGNED_RECORDS)).toHaveLength(21);
    expect(inLedger.map(([type]) => type)).toEqual([
      'AuditCheckpoint',
      'WebhookDelivery',
      'RecoveryFence',
    ]);
  });

  test.each(Object.entries(SIGNED_RECORDS))('%s has a payload record', (_, { payload }) => {
    expect(RECORD_NAMES).toContain(payload);
  });
});
