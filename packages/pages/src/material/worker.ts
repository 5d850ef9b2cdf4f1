import type { Schema, Validator } from '@cfworker/json-schema';
import type { Material } from '@countersign/protocol';

import { Problem, Unanswered, problemOf } from '../api/problem.js';
import { canonicalText, textDigest, valueDigest } from './digest.js';
import { TextRows, occurrences } from './lines.js';
import type { Answered, Asked, CheckedDigest, Hint, MaterialHead, Questions } from './messages.js';
import { tablesIn } from './tables.js';
import type { PayloadTable } from './tables.js';
import { PayloadTree } from './tree.js';

// The material of one request, apart from the page's own thread: ten megabytes are read, checked, searched and cut into
// rows here, and the page asks for the few rows that it shows.

/** A document up to this size is shown whole: the browser's own search and selection work on it. */
const SHOWN_WHOLE = 100_000;
const SHOWN_LINES = 2_000;
const HINTS = 20;

let material: Material | null = null;
let tree: PayloadTree | null = null;
let tables: readonly PayloadTable[] | null = null;
let rows: TextRows | null = null;
let found: number[] = [];
/** Undefined until an answer is checked. */
let validator: Validator | null | undefined;

type Answers = {
  [Name in keyof Questions]: (
    given: Questions[Name]['ask'],
  ) => Questions[Name]['answer'] | Promise<Questions[Name]['answer']>;
};

const answers: Answers = {
  load: ({ path }) => load(path),
  tree: ({ from, count }) => ({ rows: theTree().rows(from, count), length: theTree().length }),
  toggle: ({ id }) => ({ place: theTree().toggle(id), length: theTree().length }),
  searchTree: ({ text }) => ({ matches: theTree().search(text) }),
  revealTree: ({ match }) => ({ place: theTree().reveal(match), length: theTree().length }),
  tables: () => ({ tables: theTables().map(({ head }) => head) }),
  tableRows: ({ table, from, count, text, order }) =>
    theTables()[table]?.page(from, count, text, order) ?? { rows: [], length: 0, sums: [] },
  wrap({ columns }) {
    rows = new TextRows(theMaterial().review_document, columns);
    return { length: rows.length, lines: rows.lineCount };
  },
  text: ({ from, count }) => ({ rows: rows?.rows(from, count) ?? [] }),
  searchText({ text }) {
    found = occurrences(theMaterial().review_document, text);
    return { matches: found.length };
  },
  revealText: ({ match }) => ({ place: rows?.rowAt(found[match] ?? 0) ?? 0 }),
  part({ name }) {
    const { review_document, payload } = theMaterial();
    return name === 'document'
      ? { blob: new Blob([review_document], { type: 'text/plain;charset=utf-8' }) }
      : { blob: new Blob([canonicalText(payload)], { type: 'application/json' }) };
  },
  async compare({ path }) {
    // Its library is loaded by those who ask alone.
    const [earlier, { compare }] = await Promise.all([
      fetchMaterial(path),
      import('../compare/compare.js'),
    ]);
    return compare(earlier, theMaterial());
  },
  check: async ({ response }) => ({ hints: await check(response) }),
};

async function fetchMaterial(path: string): Promise<Material> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, { redirect: 'error', cache: 'no-store' });
    text = await response.text();
  } catch (cause) {
    throw new Unanswered('no answer', { cause });
  }
  if (!response.ok) throw problemOf(response.status, text, response.headers.get('Retry-After'));
  return JSON.parse(text) as Material;
}

async function load(path: string): Promise<MaterialHead> {
  const given = await fetchMaterial(path);
  const { request, review_document, payload, response_schema, candidate } = given;
  material = given;
  tree = new PayloadTree(payload);
  tables = null;
  validator = undefined;
  const canonicalPayload = canonicalText(payload);
  const { review } = request;
  const [document, ofPayload, schema, ofRequest] = await Promise.all([
    compared(textDigest(review_document), review.document_digest),
    compared(textDigest(canonicalPayload), review.payload_digest),
    compared(valueDigest(response_schema), review.response_schema_digest),
    compared(valueDigest(request), given.request_digest),
  ]);
  return {
    request,
    requestDigest: ofRequest,
    schema: response_schema,
    schemaDigest: schema,
    candidate,
    document: {
      text: isShort(review_document) ? review_document : null,
      length: review_document.length,
      digest: document,
    },
    payload: { bytes: new TextEncoder().encode(canonicalPayload).length, digest: ofPayload },
  };
}

async function compared(made: Promise<string>, promised: string): Promise<CheckedDigest> {
  return { promised, matches: (await made) === promised };
}

function isShort(text: string): boolean {
  if (text.length > SHOWN_WHOLE) return false;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines <= SHOWN_LINES;
}

async function validatorOf(schema: unknown): Promise<Validator | null> {
  const { Validator } = await import('@cfworker/json-schema');
  try {
    return new Validator(schema as Schema, '2020-12', false);
  } catch {
    // A schema that this library cannot read gives no hints; the service checks anyway.
    return null;
  }
}

/** The faults of a response by its schema. Hints only: the service is the judge. */
async function check(response: unknown): Promise<Hint[]> {
  if (validator === undefined) validator = await validatorOf(theMaterial().response_schema);
  if (validator === null) return [];
  try {
    const { errors } = validator.validate(response);
    return errors
      .filter(({ keyword }) => !['properties', 'items', 'allOf', '$ref'].includes(keyword))
      .slice(0, HINTS)
      .map(({ instanceLocation, error }) => ({ place: instanceLocation.slice(1), text: error }));
  } catch {
    return [];
  }
}

function theMaterial(): Material {
  if (!material) throw new Error('nothing is loaded');
  return material;
}

function theTables(): readonly PayloadTable[] {
  tables ??= tablesIn(theMaterial().payload);
  return tables;
}

function theTree(): PayloadTree {
  if (!tree) throw new Error('nothing is loaded');
  return tree;
}

/** The part of a worker's global scope that is used here: the page's library knows only windows. */
interface Scope {
  onmessage: ((event: MessageEvent<Asked>) => void) | null;
  postMessage(answered: Answered): void;
}
const scope = globalThis as unknown as Scope;

scope.onmessage = ({ data: { number, question, given } }) => {
  const ask = answers[question] as (given: unknown) => unknown;
  Promise.resolve()
    .then(() => ask(given))
    .then(
      (answer) => scope.postMessage({ number, answer }),
      (fault: unknown) => scope.postMessage({ number, ...described(fault) }),
    );
};

function described(fault: unknown) {
  if (fault instanceof Problem) {
    const { status, code, title, detail, trace, retryAfter } = fault;
    return { problem: { status, code, title, detail, trace, retryAfter } };
  }
  if (fault instanceof Unanswered) return { unanswered: true as const };
  return { broken: fault instanceof Error ? fault.message : String(fault) };
}
