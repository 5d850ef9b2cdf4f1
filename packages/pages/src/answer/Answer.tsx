import type { DecisionCandidate, SignedRecord } from '@countersign/protocol';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';

import { formOf } from '../form/model.js';
import { reader } from '../session/session.js';
import { answer as words } from '../strings/answer.js';
import { form } from '../strings/form.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import { signedOf } from './signed.js';
import { useSignedAnswer } from './use-answer.js';

const TITLE = 200;
const TEXT = 4_000;

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

/** Titles are the producer's words, values those of the person who answered: both are text. */
export function Fields({ response, schema }: { response: unknown; schema: unknown }) {
  const node = useMemo(() => formOf(schema), [schema]);
  if (typeof response !== 'object' || response === null || Array.isArray(response)) {
    return <Value value={response} />;
  }
  const members = response as Readonly<Record<string, unknown>>;
  const known = node.kind === 'object' ? node.fields : [];
  const named = known
    .filter(({ name }) => Object.hasOwn(members, name))
    .map(({ name, title }) => [name, title] as const);
  const rest = Object.keys(members)
    .filter((name) => !known.some((field) => field.name === name))
    .map((name) => [name, name] as const);
  if (named.length + rest.length === 0) return <p>{words.nothing}</p>;
  return (
    <dl class="facts">
      {[...named, ...rest].map(([name, title]) => (
        <div key={name}>
          <dt>
            <SafeText text={title} limit={TITLE} />
          </dt>
          <dd>
            <Value value={members[name]} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ value }: { value: unknown }): ComponentChildren {
  if (value === '') return <span class="quiet-text">{words.empty}</span>;
  if (typeof value === 'string') {
    return (
      <span class="answered-text">
        <SafeText text={value} limit={TEXT} />
      </span>
    );
  }
  if (typeof value === 'boolean') return value ? form.yes : form.no;
  if (Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')) {
    return (
      <ul class="answered-list">
        {value.map((one, at) => (
          <li key={at}>
            <SafeText text={one} limit={TEXT} />
          </li>
        ))}
      </ul>
    );
  }
  if (typeof value === 'object' && value !== null) {
    return (
      <pre tabIndex={0} role="region" aria-label={words.title}>
        <Pieces text={JSON.stringify(value, null, 2)} />
      </pre>
    );
  }
  return String(value);
}
