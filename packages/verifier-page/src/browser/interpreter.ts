import { Validator, format } from '@cfworker/json-schema';
import type { OutputUnit, Schema } from '@cfworker/json-schema';

// The functions of ajv that packages/protocol needs: ajv compiles schemas to code, which the content policy of the pages
// forbids, and this interprets them instead (in-place-of-node.mjs, decisions/0010).

interface Fault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

interface Validate {
  (value: unknown): boolean;
  errors: readonly Fault[] | null;
}

interface Judging {
  readonly keyword: string;
  readonly compile?: unknown;
}

export class Ajv2020 {
  readonly #schemas = new Map<string, object>();

  addSchema(schema: object, name: string): void {
    this.#schemas.set(name, schema);
  }

  getSchema(name: string): Validate | undefined {
    const schema = this.#schemas.get(name);
    return schema && this.compile(this.#whole(schema));
  }

  /** With the schemas themselves in place of references to them. */
  #whole(schema: object): object {
    const text = JSON.stringify(
      schema,
      (_, value: { readonly $ref?: string } | null) =>
        this.#schemas.get(value?.$ref ?? '') ?? value,
    );
    return JSON.parse(text) as object;
  }

  addFormat(name: string, validate: true | ((value: string) => boolean)): void {
    format[name] =
      validate === true ? () => true : (value) => typeof value !== 'string' || validate(value);
  }

  addKeyword(_keyword: string | Judging): void {
    // Annotations, and keywords that the reader below has of its own.
  }

  removeKeyword(_keyword: string): void {
    // As above.
  }

  compile(schema: object): Validate {
    const validator = new Validator(plain(schema) as Schema, '2020-12', true);
    const validate: Validate = (value) => {
      const { valid, errors } = validator.validate(value);
      validate.errors = valid ? null : [faultOf(errors)];
      return valid;
    };
    validate.errors = null;
    return validate;
  }
}

/** Without the symbols of the library that made it, and not frozen: the interpreter caches its resolutions in it. */
function plain(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema));
}

/** Faults that are told in the same words as in Node. */
const SAID = ['required', 'additionalProperties', 'const', 'minimum', 'minItems'];

/** The first fault, or the innermost of those that it encloses; the bare `false` that forbids a member says nothing. */
function faultOf(errors: readonly OutputUnit[]): Fault {
  let told = errors[0];
  for (const next of errors.slice(1)) {
    if (next.keyword === 'false' || !next.keywordLocation.startsWith(`${told?.keywordLocation}/`))
      break;
    told = next;
  }
  const { instanceLocation = '#', keyword = '', error = '' } = told ?? {};
  const [, quoted] = /"([^"]*)"/.exec(error) ?? [];
  const [, limit] = /(?:<|less than) (\d+)/.exec(error) ?? [];
  return {
    instancePath: instanceLocation.replace(/^#/, ''),
    keyword: SAID.includes(keyword) ? keyword : 'other',
    params: { missingProperty: quoted, allowedValue: quoted, limit },
    message: error,
  };
}
