import type { DecisionCandidate, SignedRecord } from '@countersign/protocol';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { formOf } from '../form/model.js';
import type { FormField, FormNode } from '../form/model.js';
import { reader } from '../session/session.js';
import { answer as words } from '../strings/answer.js';
import { form } from '../strings/form.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import { signedOf } from './signed.js';
import { useSignedAnswer } from './use-answer.js';

const TITLE = 200;
const TEXT = 4_000;
/** Of parts within each other; deeper ones are shown as JSON. */
const DEEPEST = 8;

/** The private part that the answer is in; null when it is deleted. */
export interface AnswerMaterial {
  readonly candidate: DecisionCandidate | null;
  readonly schema: unknown;
}

/** The answer that a receipt signs, as labelled fields; or the reason for which only its digest can be shown. */
export function Answer(props: {
  readonly receipt: SignedRecord;
  readonly material: AnswerMaterial | null;
}) {
  const { receipt, material } = props;
  const found = useSignedAnswer(receipt, material?.candidate ?? null);
  return (
    <div class="answered">
      <h3>{words.title}</h3>
      {material === null ? (
        <p class="fine">{words.deleted}</p>
      ) : found.kind === 'checking' ? (
        <p class="fine">{words.checking}</p>
      ) : found.kind === 'signed' ? (
        <>
          <Fields response={found.response} schema={material.schema} />
          <p class="fine">{words.checked}</p>
        </>
      ) : (
        <p class="fine">
          {signedOf(receipt).reviewer === reader()?.subject ? words.another : words.notYours}
        </p>
      )}
    </div>
  );
}

/**
 * Titles are the producer's words, values those of the person who answered: both are text. With `whole` nothing of it is
 * folded, as where it is about to be signed.
 */
export function Fields(props: {
  readonly response: unknown;
  readonly schema: unknown;
  readonly whole?: boolean;
}) {
  const { response, schema, whole = false } = props;
  const node = useMemo(() => formOf(schema), [schema]);
  return <Value value={response} node={node} limit={whole ? Infinity : TEXT} depth={0} />;
}

interface Shown {
  readonly value: unknown;
  /** What the schema says about it; null where that is not known. */
  readonly node: FormNode | null;
  readonly limit: number;
  readonly depth: number;
}

function Value({ value, node, limit, depth }: Shown): ComponentChildren {
  if (value === '') return <span class="quiet-text">{words.empty}</span>;
  if (typeof value === 'string') {
    return (
      <span class="answered-text">
        <SafeText text={value} limit={limit} />
      </span>
    );
  }
  if (typeof value === 'boolean') return value ? form.yes : form.no;
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth > DEEPEST) {
    return (
      <pre tabIndex={0} role="region" aria-label={words.title}>
        <Pieces text={JSON.stringify(value, null, 2)} />
      </pre>
    );
  }
  if (!Array.isArray(value)) {
    const fields = node?.kind === 'object' ? node.fields : [];
    return <Members of={value as Members} fields={fields} limit={limit} depth={depth} />;
  }
  if (value.length === 0) return <span class="quiet-text">{words.none}</span>;
  const item = node?.kind === 'list' ? node.item : null;
  return (
    <ul class="answered-list">
      {value.map((one: unknown, at) => (
        <li key={at}>
          <Value value={one} node={item} limit={limit} depth={depth + 1} />
        </li>
      ))}
    </ul>
  );
}

type Members = Readonly<Record<string, unknown>>;

function Members(props: {
  readonly of: Members;
  readonly fields: readonly FormField[];
  readonly limit: number;
  readonly depth: number;
}) {
  const { of, fields, limit, depth } = props;
  const known = fields.filter(({ name }) => Object.hasOwn(of, name));
  const rest = Object.keys(of)
    .filter((name) => !fields.some((field) => field.name === name))
    .map((name) => ({ name, title: name, node: null }));
  if (known.length + rest.length === 0) return <p>{depth === 0 ? words.nothing : words.none}</p>;
  return (
    <dl class="facts">
      {[...known, ...rest].map(({ name, title, node }) => (
        <div key={name}>
          <dt>
            <SafeText text={title} limit={TITLE} />
          </dt>
          <dd>
            <Value value={of[name]} node={node} limit={limit} depth={depth + 1} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
