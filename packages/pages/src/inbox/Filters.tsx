import { INBOX_DECISIONS, INBOX_SORTS } from '@countersign/protocol/inbox';
import type { InboxCount, InboxPage } from '@countersign/protocol';
import type { RefObject } from 'preact';
import { useId, useState } from 'preact/hooks';

import { inbox } from '../strings/inbox.js';
import { decisionNames } from '../strings/states.js';
import { plainText } from '../text/plain-text.js';
import type { View } from './view.js';
import { GROUPS, isFiltered, waits } from './view.js';

/** A list of the browser is as wide as its longest line. */
const LONGEST = 80;

/** Search, filters with their counts, order and groups. */
export function Filters(props: {
  readonly view: View;
  readonly onChange: (changes: Partial<View>) => void;
  readonly page: InboxPage | null;
  readonly search: RefObject<HTMLInputElement | null>;
}) {
  const { view, onChange, page, search } = props;
  const id = useId();
  const [open, setOpen] = useState(isFiltered(view));
  return (
    <div class={open ? 'filters open' : 'filters'} role="search">
      <div class="filter wide-filter">
        <label for={id} class="unseen">
          {inbox.search}
        </label>
        <input
          id={id}
          ref={search}
          type="search"
          placeholder={inbox.searchHint}
          autocomplete="off"
          maxLength={200}
          value={view.text}
          onInput={({ currentTarget: { value } }) => onChange({ text: value })}
        />
      </div>
      <button
        type="button"
        class="button plain filters-switch"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
      >
        {inbox.filters}
      </button>
      {view.tab === 'decided' && (
        <>
          <Filter
            label={inbox.decision}
            value={view.decision}
            options={INBOX_DECISIONS.map((name) => [name, decisionNames[name]?.doing ?? name])}
            onChange={(decision) => onChange({ decision })}
          />
          <Filter
            label={inbox.by}
            value={view.by}
            options={[
              ['me', inbox.byMe],
              ['others', inbox.byOthers],
            ]}
            onChange={(by) => onChange({ by: by as View['by'] })}
          />
        </>
      )}
      <Filter
        label={inbox.route}
        value={view.route}
        options={counted(page?.routes ?? [], view.route)}
        onChange={(route) => onChange({ route })}
      />
      <Filter
        label={inbox.producer}
        value={view.producer}
        options={counted(page?.producers ?? [], view.producer)}
        onChange={(producer) => onChange({ producer })}
      />
      {waits(view) && (
        <>
          <Filter
            label={inbox.sort}
            value={view.sort}
            options={INBOX_SORTS.map((sort) => [sort, inbox.sorts[sort]])}
            onChange={(sort) => onChange({ sort: sort as View['sort'] })}
            all
          />
          <Filter
            label={inbox.group}
            value={view.group}
            options={GROUPS.map((group) => [group, inbox.groups[group]])}
            onChange={(group) => onChange({ group: group as View['group'] })}
            all
          />
        </>
      )}
    </div>
  );
}

/** The chosen one stays among them when nothing matches it any more. */
function counted(counts: readonly InboxCount[], chosen: string): [string, string][] {
  const options = counts.map(({ id, name, count }): [string, string] => [
    id,
    inbox.option(name ?? id, count),
  ]);
  return chosen === '' || counts.some(({ id }) => id === chosen)
    ? options
    : [...options, [chosen, inbox.option(chosen, 0)]];
}

function Filter(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onChange: (value: string) => void;
  /** There is always a choice, without an empty one. */
  readonly all?: boolean;
}) {
  const id = useId();
  return (
    <div class="filter">
      <label for={id}>{props.label}</label>
      <select
        id={id}
        value={props.value}
        onChange={({ currentTarget: { value } }) => props.onChange(value)}
      >
        {!props.all && <option value="">{inbox.any}</option>}
        {props.options.map(([value, word]) => (
          <option key={value} value={value}>
            {plainText(word, LONGEST)}
          </option>
        ))}
      </select>
    </div>
  );
}
