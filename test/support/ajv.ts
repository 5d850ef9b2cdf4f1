import { createRequire } from 'node:module';
import { join } from 'node:path';

/** As much of the validator as tests use. */
export interface Validator {
  addFormat(name: string, format: true | ((text: string) => boolean)): void;
  addSchema(schema: object, id?: string): void;
  getSchema(id: string): Validate | undefined;
  addKeyword(name: string): void;
  compile(schema: object): Validate;
}
export interface Validate {
  (value: unknown): boolean;
  errors?: { instancePath: string; message?: string; keyword: string; params: object }[] | null;
}

// The one that the protocol package brings along: tests have none of their own.
const ofProtocol = createRequire(join(__dirname, '../../packages/protocol/package.json'));
const { Ajv2020 } = ofProtocol('ajv/dist/2020.js') as {
  Ajv2020: new (options: object) => Validator;
};

/** A validator of JSON Schema 2020-12. */
export function newValidator(options: object): Validator {
  return new Ajv2020(options);
}
