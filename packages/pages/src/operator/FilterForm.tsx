import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';

import { Button, LinkButton } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { operator } from '../strings/operator.js';

/** By the name of each parameter; '' where it is not limited. */
export type FilterOf<Names extends readonly string[]> = Record<Names[number], string>;

const TIMES = ['since', 'before'] as const;
const WIDE = '(min-width: 48rem)';

/** The filter that the address holds. */
export function filterHere<const Names extends readonly string[]>(names: Names): FilterOf<Names> {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(names.map((name) => [name, given.get(name) ?? ''])) as FilterOf<Names>;
}

export function isFiltered(filter: Readonly<Record<string, string>>): boolean {
  return Object.values(filter).some((value) => value !== '');
}

/** The address of this page under another filter. */
export function addressOf(filter: Readonly<Record<string, string>>): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  const query = new URLSearchParams(given).toString();
  return query === '' ? location.pathname : `${location.pathname}?${query}`;
}

/** A list's filter, with its time range. Finding leads to the address that holds it. */
export function FilterForm<const Names extends readonly string[]>(props: {
  readonly names: Names;
  readonly filter: FilterOf<Names> & Record<(typeof TIMES)[number], string>;
  /** The fields beside the times, each named as its parameter. */
  readonly children: ComponentChildren;
}) {
  const { names, filter } = props;
  const [times, setTimes] = useState({
    since: localOf(filter.since),
    before: localOf(filter.before),
  });
  // On a phone it would leave no room for the list.
  const [open] = useState(() => matchMedia(WIDE).matches || isFiltered(filter));
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const wanted = names.map((name): [string, string] => {
      const text = String(form.get(name) ?? '').trim();
      return [name, name === 'since' || name === 'before' ? stampOf(text) : text];
    });
    location.assign(addressOf(Object.fromEntries(wanted)));
  };
  return (
    <details class="filter-fold no-print" open={open}>
      <summary>{operator.filters}</summary>
      <form class="card filter" onSubmit={find}>
        {props.children}
        {TIMES.map((name) => (
          <Field key={name} label={operator[name]}>
            {({ id }) => (
              <input
                id={id}
                name={name}
                type="datetime-local"
                value={times[name]}
                onInput={({ currentTarget }) => setTimes({ ...times, [name]: currentTarget.value })}
              />
            )}
          </Field>
        ))}
        <div class="row filter-buttons">
          <Button type="submit" look="primary">
            {operator.find}
          </Button>
          {isFiltered(filter) && (
            <LinkButton href={location.pathname} look="quiet">
              {operator.clear}
            </LinkButton>
          )}
        </div>
      </form>
    </details>
  );
}

/** The timestamp of the wire from fields for a local date and time; '' when it is none. */
function stampOf(local: string): string {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

function localOf(stamp: string): string {
  const time = new Date(stamp);
  if (Number.isNaN(time.getTime())) return '';
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
