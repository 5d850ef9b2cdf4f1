import type { DeskRequest, DeskRoute } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { Button, LinkButton } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { readAll } from './data.js';
import { Frame } from './Frame.js';
import { Pages, useLoading } from './loading.js';
import { Decision, Execution, Grant } from './states.js';

const FILTERS = ['state', 'route', 'producer', 'since', 'before'] as const;
type Filter = Record<(typeof FILTERS)[number], string>;

function filterHere(): Filter {
  const given = new URLSearchParams(location.search);
  return Object.fromEntries(FILTERS.map((name) => [name, given.get(name) ?? ''])) as Filter;
}

/** What the fields for a local date and time hold, as the wire wants it; '' when it is none. */
export function stampOf(local: string): string {
  const time = new Date(local);
  return local === '' || Number.isNaN(time.getTime()) ? '' : time.toISOString();
}

function localOf(stamp: string): string {
  const time = new Date(stamp);
  if (Number.isNaN(time.getTime())) return '';
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}

export function Requests() {
  const filter = filterHere();
  const filtered = FILTERS.some((name) => filter[name] !== '');
  return (
    <Frame title={operator.requests} lead={operator.requestsLead}>
      <FilterForm filter={filter} filtered={filtered} />
      <Pages<DeskRequest>
        list="requests"
        query={filter}
        empty={<p class="quiet-text">{filtered ? operator.noRequests : operator.noRequestsYet}</p>}
      >
        {(items) => <RequestTable items={items} />}
      </Pages>
    </Frame>
  );
}

function FilterForm({ filter, filtered }: { filter: Filter; filtered: boolean }) {
  const routes = useLoading(() => readAll<DeskRoute>('routes'));
  const [times, setTimes] = useState({
    since: localOf(filter.since),
    before: localOf(filter.before),
  });
  const producers = new Set(routes.value?.flatMap(({ config }) => config.allowed_producers) ?? []);
  const find = (event: SubmitEvent) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const given = new URLSearchParams();
    for (const name of FILTERS) {
      const text = String(form.get(name) ?? '').trim();
      const value = name === 'since' || name === 'before' ? stampOf(text) : text;
      if (value !== '') given.set(name, value);
    }
    const query = given.toString();
    location.assign(query === '' ? location.pathname : `${location.pathname}?${query}`);
  };
  return (
    <form class="card filter no-print" onSubmit={find}>
      <Field label={operator.state}>
        {({ id }) => (
          <select id={id} name="state" defaultValue={filter.state}>
            <option value="" selected={filter.state === ''}>
              {operator.anyState}
            </option>
            {Object.entries(operator.decisions).map(([state, name]) => (
              <option key={state} value={state} selected={filter.state === state}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
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
      {(['since', 'before'] as const).map((name) => (
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
        {filtered && (
          <LinkButton href={location.pathname} look="quiet">
            {operator.clear}
          </LinkButton>
        )}
      </div>
    </form>
  );
}

/** The end of an id: its beginning says only when it was made. */
export function shortId(id: string): string {
  return `…${id.slice(-8)}`;
}

export function requestAddress(id: string): string {
  return `/operator/requests/${encodeURIComponent(id)}`;
}

export function RequestTable({ items }: { items: readonly DeskRequest[] }) {
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
