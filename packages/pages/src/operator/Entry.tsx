import type { ComponentChildren } from 'preact';
import { Fragment } from 'preact';
import { useState } from 'preact/hooks';

import { Field } from '../parts/Field.js';
import { Notice } from '../parts/Notice.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { readOne } from './data.js';
import { Frame } from './Frame.js';
import { Loaded, useLoading } from './loading.js';

export interface EntryPageProps<Item, Beside> {
  /** Null for a new one. */
  readonly id: string | null;
  readonly list: 'routes' | 'principals';
  readonly title: string;
  readonly lead: (item: Item) => ComponentChildren;
  /** The data that the form needs beside the entry. */
  readonly beside: () => Promise<Beside>;
  /** The form; `saved` says so and loads the current entry. */
  readonly form: (
    item: Item | null,
    beside: Beside,
    saved: (says: string) => void,
  ) => ComponentChildren;
  /** What has a form of its own; it stays while the entry is loaded again. */
  readonly below?: (item: Item | null, beside: Beside, changed: () => void) => ComponentChildren;
}

/** One entry of the directory, or a new one: its name, when it changed, and a form that begins anew with each version. */
export function EntryPage<
  Item extends { readonly id: string; readonly updated_at: string },
  Beside,
>(props: EntryPageProps<Item, Beside>) {
  const { id, list, title, lead, beside, form, below } = props;
  const known = useLoading(async () => {
    const [item, others] = await Promise.all([
      id === null ? null : readOne<Item>(list, id),
      beside(),
    ]);
    return { item, others };
  }, id ?? '');
  const [says, setSays] = useState<string | null>(null);
  const saved = (words: string) => {
    setSays(words);
    known.reload();
  };
  const there = known.value?.item;
  return (
    <Frame
      title={title}
      heading={id === null ? title : <SafeText text={id} limit={160} />}
      lead={
        there && (
          <>
            {lead(there)} · {operator.changedAt.toLowerCase()} <Moment at={there.updated_at} />
          </>
        )
      }
    >
      <Loaded of={known}>
        {({ item, others }) =>
          id !== null && item === null ? (
            <p>{operator.unknownOne}</p>
          ) : (
            <>
              {says !== null && (
                <Notice tone="good">
                  <p>{says}</p>
                </Notice>
              )}
              <Fragment key={`${item?.id} ${item?.updated_at}`}>
                {form(item, others, saved)}
              </Fragment>
              {below?.(item, others, known.reload)}
            </>
          )
        }
      </Loaded>
    </Frame>
  );
}

/** How a new entry will be called. */
export function IdField(props: {
  readonly label: string;
  readonly value: string;
  readonly faulty: boolean;
  readonly onChange: (value: string) => void;
}) {
  const { label, value, faulty, onChange } = props;
  return (
    <Field
      label={label}
      hint={operator.identifierHint}
      fault={faulty && operator.identifierFault}
      required
    >
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          value={value}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          autoComplete="off"
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** The input of a form, as the interface takes it. */
export function AsJson({ value }: { value: object }) {
  return (
    <details>
      <summary>{operator.asJson}</summary>
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}
