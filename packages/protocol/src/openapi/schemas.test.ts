import { Ajv2020 } from 'ajv/dist/2020.js';
import { EXTENSION_PROFILES } from '../constants.js';
import { EXAMPLES } from '../records/examples.js';
import { APPROVAL_RECORD_NAMES } from '../records/index.js';
import type { RecordName } from '../records/index.js';
import { extensionSchemas } from './schemas.js';

const schemas = extensionSchemas(EXTENSION_PROFILES);

it('has no schema of a profile that is not offered', () => {
  expect(extensionSchemas({}).size).toBe(0);
});

test.each(APPROVAL_RECORD_NAMES)('the schema of %s is complete by itself', (name) => {
  const schema = schemas.get(`/schemas/proto.approval/1-draft.1/${name}.json`);
  expect(schema).toMatchObject({ $id: `urn:proto:proto.approval:1-draft.1:${name}` });
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
  // As it is served.
  const check = ajv.compile(JSON.parse(JSON.stringify(schema)) as object);
  const example = EXAMPLES[name as RecordName];
  expect([check(example), check.errors]).toEqual([true, null]);
  expect(check({ ...(example as object), more: 1 })).toBe(false);
});
