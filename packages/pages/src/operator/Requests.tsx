import type { AdminRequest, AdminRoute } from '@countersign/protocol';

import { useEffect, useId, useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { saveCsv } from '../parts/csv.js';
import { Field } from '../parts/Field.js';
import { Nothing } from '../parts/Nothing.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { auditWords, decisionWords, executionWords, grantWords } from '../strings/states.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { readAll } from './data.js';
import { FilterForm, filterHere, isFiltered } from './FilterForm.js';
import type { FilterOf } from './FilterForm.js';
import { Frame } from './Frame.js';
import { Pages, useLoading } from './loading.js';
import { Decision, Execution, Grant } from './states.js';

const FILTERS = [
  'state',
  'audit',
  'grant',
  'execution',
  'route',
  'producer',
  'since',
  'before',
] as const;
type Filter = FilterOf<typeof FILTERS>;

/** Words of summaries stand in the fragment, which no server gets. */
function wordsHere(): string {
  return new URLSearchParams(location.hash.slice(1)).get('q') ?? '';
}

export function Requests() {
  const filter = filterHere(FILTERS);
  const [words, setWords] = useState(wordsHere);
  const filtered = isFiltered(filter) || words !== '';
  const search = (text: string) => {
    setWords(text);
    const fragment = text === '' ? '' : `#${new URLSearchParams({ q: text })}`;
    history.replaceState(null, '', location.pathname + location.search + fragment);
  };
  return (
    <Frame title={operator.requests} lead={operator.requestsLead}>
      <Search words={words} onSearch={search} />
      <RequestFilter filter={filter} />
      <Pages<AdminRequest>
        list="requests"
        query={filter}
        words={words}
        empty={<Nothing words={filtered ? operator.noRequests : operator.noRequestsYet} />}
      >
        {(items) => (
          <>
            <div class="row apart no-print">
              <span class="fine">{operator.shown(items.length)}</span>
              <Button onClick={() => saveRequests(items)}>{operator.saveRequests}</Button>
            </div>
            <RequestTable items={items} />
          </>
        )}
      </Pages>
    </Frame>
  );
}

const PAUSE_MS = 300;

/** Words of summaries, ids, and names of routes, producers and requesters. */
function Search({ words, onSearch }: { words: string; onSearch: (text: string) => void }) {
  const id = useId();
  const [text, setText] = useState(words);
  useEffect(() => {
    if (text.trim() === words) return;
    const timer = setTimeout(() => onSearch(text.trim()), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <form class="no-print find-words" role="search" onSubmit={(event) => event.preventDefault()}>
      <label for={id} class="unseen">
        {operator.search}
      </label>
      <input
        id={id}
        type="search"
        maxLength={200}
        autocomplete="off"
        placeholder={operator.searchHint}
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
      />
    </form>
  );
}

function saveRequests(items: readonly AdminRequest[]): void {
  const names = [
    'id',
    'summary',
    'producer',
    'route',
    'accepted_at',
    'deadline',
    'decision',
    'audit',
    'grant',
    'execution',
    'invalidated',
  ] as const;
  saveCsv(
    names,
    items.map((item) => names.map((name) => item[name])),
    'requests.csv',
  );
}

const STATES = {
  state: decisionWords,
  audit: auditWords,
  grant: grantWords,
  execution: executionWords,
} as const;

function RequestFilter({ filter }: { filter: Filter }) {
  const routes = useLoading(() => readAll<AdminRoute>('routes'));
  const producers = new Set(routes.value?.flatMap(({ config }) => config.allowed_producers) ?? []);
  return (
    <FilterForm names={FILTERS} filter={filter}>
      {(Object.keys(STATES) as (keyof typeof STATES)[]).map((name) => (
        <Field key={name} label={operator.stateFilters[name]}>
          {({ id }) => (
            <select id={id} name={name} defaultValue={filter[name]}>
              <option value="" selected={filter[name] === ''}>
                {operator.anyState}
              </option>
              {Object.entries(STATES[name]).map(([state, { word }]) => (
                <option key={state} value={state} selected={filter[name] === state}>
                  {word}
                </option>
              ))}
            </select>
          )}
        </Field>
      ))}
      <Field label={operator.route}>
        {({ id }) => (
          <>
            <input
              id={id}
              name="route"
              list={`${id}-list`}
              defaultValue={filter.route}
              autoComplete="off"
            />
            <datalist id={`${id}-list`}>
              {routes.value?.map((route) => (
                <option key={route.id} value={route.id} />
              ))}
            </datalist>
          </>
        )}
      </Field>
      <Field label={operator.producer}>
        {({ id }) => (
          <>
            <input
              id={id}
              name="producer"
              list={`${id}-list`}
              defaultValue={filter.producer}
              autoComplete="off"
            />
            <datalist id={`${id}-list`}>
              {[...producers].map((producer) => (
                <option key={producer} value={producer} />
              ))}
            </datalist>
          </>
        )}
      </Field>
    </FilterForm>
  );
}

/** The end of an id: its beginning says only when it was made. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`;
}

export function requestAddress(id: string): string {
  return `/operator/requests/${encodeURIComponent(id)}`;
}

export function RequestTable({ items }: { items: readonly AdminRequest[] }) {
  return (
    <section class="card">
      <Table
        caption={operator.requests}
        keyOf={({ id }) => id}
        rows={items}
        columns={[
          {
            title: operator.summary,
            cell: ({ id, summary, producer, route }) => (
              <>
                <a href={requestAddress(id)}>
                  <SafeText text={summary} limit={160} />
                </a>
                <span class="fine beneath">
                  <SafeText text={producer} limit={80} /> · <SafeText text={route} limit={80} />
                </span>
              </>
            ),
          },
          {
            title: operator.state,
            cell: ({ decision, grant, execution }) => (
              <span class="row chips">
                <Decision state={decision} />
                {grant !== 'not_applicable' && grant !== 'none' && <Grant state={grant} />}
                {execution !== 'not_applicable' && execution !== 'unclaimed' && (
                  <Execution state={execution} />
                )}
              </span>
            ),
          },
          { title: operator.accepted, cell: ({ accepted_at }) => <Moment at={accepted_at} /> },
          {
            title: operator.deadline,
            cell: ({ deadline, decision }) => (
              <Moment at={deadline} as={decision === 'pending' ? 'deadline' : 'none'} />
            ),
          },
        ]}
      />
    </section>
  );
}
