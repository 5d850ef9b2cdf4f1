import { Validator, format } from '@cfworker/json-schema';
import type { OutputUnit, Schema } from '@cfworker/json-schema';

// What packages/protocol asks of ajv, which makes code out of schemas: the content policy of the pages does not allow that,
// and this reads them instead (in-place-of-node.mjs, decisions/0010).

interface Fault {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

interface Judge {
  (value: unknown): boolean;
  errors: readonly Fault[] | null;
}

interface Judging {
  readonly keyword: string;
  readonly compile?: unknown;
}

export class Ajv2020 {
  addFormat(name: string, judge: true | ((value: string) => boolean)): void {
    format[name] =
      judge === true ? () => true : (value) => typeof value !== 'string' || judge(value);
  }

  addKeyword(_keyword: string | Judging): void {
    // Annotations, and keywords that the reader below has of its own.
  }

  removeKeyword(_keyword: string): void {
    // As above.
  }

  compile(schema: object): Judge {
    const validator = new Validator(plain(schema) as Schema, '2020-12', true);
    const judge: Judge = (value) => {
      const { valid, errors } = validator.validate(value);
      judge.errors = valid ? null : [faultOf(errors)];
      return valid;
    };
    judge.errors = null;
    return judge;
  }
}

/** Without the symbols of the library that made it, and not frozen: the reader notes in it what it resolved. */
function plain(schema: object): unknown {
  return JSON.parse(JSON.stringify(schema));
}

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
  return {
    instancePath: instanceLocation.replace(/^#/, ''),
    keyword: keyword === 'required' || keyword === 'additionalProperties' ? keyword : 'other',
    params: { missingProperty: quoted },
    message: error,
  };
}
