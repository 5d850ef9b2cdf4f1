import type { AdminRequest, AdminRoute } from '@countersign/protocol';

import { Field } from '../parts/Field.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { readAll } from './data.js';
import { FilterForm, filterHere, isFiltered } from './FilterForm.js';
import type { FilterOf } from './FilterForm.js';
import { Frame } from './Frame.js';
import { Pages, useLoading } from './loading.js';
import { Decision, Execution, Grant } from './states.js';

const FILTERS = ['state', 'route', 'producer', 'since', 'before'] as const;
type Filter = FilterOf<typeof FILTERS>;

export function Requests() {
  const filter = filterHere(FILTERS);
  const filtered = isFiltered(filter);
  return (
    <Frame title={operator.requests} lead={operator.requestsLead}>
      <RequestFilter filter={filter} />
      <Pages<AdminRequest>
        list="requests"
        query={filter}
        empty={<p class="quiet-text">{filtered ? operator.noRequests : operator.noRequestsYet}</p>}
      >
        {(items) => <RequestTable items={items} />}
      </Pages>
    </Frame>
  );
}

function RequestFilter({ filter }: { filter: Filter }) {
  const routes = useLoading(() => readAll<AdminRoute>('routes'));
  const producers = new Set(routes.value?.flatMap(({ config }) => config.allowed_producers) ?? []);
  return (
    <FilterForm names={FILTERS} filter={filter}>
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
