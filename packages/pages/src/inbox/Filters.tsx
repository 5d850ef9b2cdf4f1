import type { RequestListItem } from '@countersign/protocol';
import type { RefObject } from 'preact';
import { useId } from 'preact/hooks';

import { inbox } from '../strings/inbox.js';
import { decisionNames, decisionWords } from '../strings/states.js';
import type { Choice, Origins } from './selection.js';
import { inTab } from './selection.js';

const DECISIONS = ['authorise', 'refuse', 'approve', 'reject', 'answer'] as const;
const ENDS = ['confirmed', 'cancelled', 'expired', 'superseded'] as const;

/** Search, and filters by state, route and producer. */
export function Filters(props: {
  readonly choice: Choice;
  readonly onChange: (choice: Choice) => void;
  readonly origins: ReadonlyMap<string, Origins>;
  readonly items: readonly RequestListItem[];
  readonly search: RefObject<HTMLInputElement | null>;
}) {
  const { choice, onChange, origins, items, search } = props;
  const id = useId();
  const here = items.filter((item) => inTab(item, choice.tab, '') || choice.tab === 'mine');
  const named = (of: (origins: Origins) => string): (readonly [string, string])[] =>
    [...new Set(here.flatMap((item) => origins.get(item.id) ?? []).map(of))]
      .sort()
      .map((name) => [name, name]);
  return (
    <div class="filters" role="search">
      <div class="filter wide-filter">
        <label for={id}>{inbox.search}</label>
        <input
          id={id}
          ref={search}
          type="search"
          placeholder={inbox.searchHint}
          autocomplete="off"
          value={choice.text}
          onInput={({ currentTarget: { value } }) => onChange({ ...choice, text: value })}
        />
      </div>
      {choice.tab === 'decided' && (
        <Filter
          label={inbox.state}
          value={choice.state}
          options={[
            ...DECISIONS.map((name) => [name, decisionNames[name]?.doing ?? name] as const),
            ...ENDS.map((state) => [state, decisionWords[state].word] as const),
          ]}
          onChange={(state) => onChange({ ...choice, state })}
        />
      )}
      {choice.tab === 'decided' && (
        <Filter
          label={inbox.by}
          value={choice.by}
          options={[
            ['me', inbox.byMe],
            ['others', inbox.byOthers],
          ]}
          onChange={(by) => onChange({ ...choice, by: by as Choice['by'] })}
        />
      )}
      <Filter
        label={inbox.route}
        value={choice.route}
        options={named(({ route }) => route)}
        onChange={(route) => onChange({ ...choice, route })}
      />
      <Filter
        label={inbox.producer}
        value={choice.producer}
        options={named(({ producer }) => producer)}
        onChange={(producer) => onChange({ ...choice, producer })}
      />
    </div>
  );
}

function Filter(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, word: string])[];
  readonly onChange: (value: string) => void;
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
        <option value="">{inbox.any}</option>
        {props.options.map(([value, word]) => (
          <option key={value} value={value}>
            {word}
          </option>
        ))}
      </select>
    </div>
  );
}
