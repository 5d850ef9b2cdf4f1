import type { AdminPrincipal, AdminRoute, RouteInput } from '@countersign/protocol';
import { DEFAULT_LIMITS } from '@countersign/protocol/constants';
import { useState } from 'preact/hooks';

import { LinkButton } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Field } from '../parts/Field.js';
import { Nothing } from '../parts/Nothing.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import { spanInWords } from '../strings/time.js';
import { Change } from './Change.js';
import { choicesOf } from './choices.js';
import { readAll, readOne } from './data.js';
import { differencesOf } from './differences.js';
import { AsJson, EntryPage, IdField } from './Entry.js';
import { Frame } from './Frame.js';
import { IDENTIFIER, ListField, Tick } from './ListField.js';
import { Ids } from './Ids.js';
import { Pages } from './loading.js';
import { sizeInWords } from '../text/size.js';
import { lazily } from '../parts/lazily.js';
import { offersApprovals } from '../session/offers-approvals.js';

const { Component: Policy } = lazily(async () => (await import('./Policy.js')).Policy);

export function routeAddress(id: string): string {
  return `/operator/routes/${encodeURIComponent(id)}`;
}

const NEW = '/operator/routes?new';

export function Routes() {
  if (location.search === '?new') return <RoutePage id={null} />;
  return (
    <Frame
      title={operator.routes}
      lead={operator.routesLead}
      aside={
        <LinkButton href={NEW} look="primary">
          {operator.newRoute}
        </LinkButton>
      }
    >
      <Pages<AdminRoute> list="routes" empty={<Nothing words={operator.noRoutes} />}>
        {(items) => (
          <section class="card">
            <Table
              caption={operator.routes}
              keyOf={({ id }) => id}
              rows={items}
              columns={[
                {
                  title: operator.route,
                  cell: ({ id }) => (
                    <a href={routeAddress(id)}>
                      <SafeText text={id} />
                    </a>
                  ),
                },
                {
                  title: operator.reviewers,
                  cell: ({ config }) => <Ids of={config.reviewers} />,
                },
                {
                  title: operator.producers,
                  cell: ({ config }) => <Ids of={config.allowed_producers} />,
                },
                {
                  title: operator.modes,
                  cell: ({ config }) => (
                    <span class="row chips">
                      {config.modes.map((mode) => (
                        <Chip key={mode} tone="neutral">
                          <SafeText text={mode} limit={40} />
                        </Chip>
                      ))}
                      {!config.separation_of_duties && (
                        <Chip tone="warning">{operator.dutiesOff}</Chip>
                      )}
                    </span>
                  ),
                },
                { title: operator.revision, figure: true, cell: ({ revision }) => revision },
                { title: operator.changedAt, cell: ({ updated_at }) => <Moment at={updated_at} /> },
              ]}
            />
          </section>
        )}
      </Pages>
    </Frame>
  );
}

const MODES = ['live_window', 'durable', 'fixed_mock'] as const;
const PROFILES = { 'proto.execution': '1-draft.1', 'proto.agent-ui': '2' } as const;

const FRESH: RouteInput = {
  reviewers: [],
  separation_of_duties: true,
  required_profiles: {},
  allowed_producers: [],
  modes: [],
  limits: DEFAULT_LIMITS,
};

/** One route, or a new one. */
export function RoutePage({ id }: { id: string | null }) {
  return (
    <EntryPage<AdminRoute, readonly AdminPrincipal[]>
      id={id}
      list="routes"
      title={id === null ? operator.newRoute : operator.route}
      lead={({ revision }) => `${operator.revision} ${revision}`}
      beside={() => readAll('principals')}
      form={(route, principals, saved) => (
        <RouteForm
          route={route}
          principals={principals}
          saved={(revision) => saved(operator.savedRevision(revision))}
        />
      )}
      below={(route, _principals, changed) =>
        route !== null && offersApprovals() && <Policy route={route.id} changed={changed} />
      }
    />
  );
}

function RouteForm(props: {
  readonly route: AdminRoute | null;
  readonly principals: readonly AdminPrincipal[];
  readonly saved: (revision: number) => void;
}) {
  const { route, principals } = props;
  const [id, setId] = useState(route?.id ?? '');
  const [config, setConfig] = useState<RouteInput>(route?.config ?? FRESH);
  const [faults, setFaults] = useState(false);
  const change = (part: Partial<RouteInput>) => setConfig({ ...config, ...part });
  const badLimits = Object.keys(DEFAULT_LIMITS).filter(
    (name) => !isLimit(name as Limit, config.limits[name as Limit]),
  );
  const badId = !IDENTIFIER.test(id);
  const people = choicesOf(principals, ['human']);
  const owners = choicesOf(principals, ['producer', 'human']);
  return (
    <>
      <form class="card" onSubmit={(event) => event.preventDefault()}>
        {route === null && (
          <IdField label={operator.routeId} value={id} faulty={faults && badId} onChange={setId} />
        )}
        <ListField
          label={operator.reviewers}
          hint={operator.reviewersHint}
          values={config.reviewers}
          choices={people}
          onChange={(reviewers) => change({ reviewers: [...reviewers] })}
        />
        <ListField
          label={operator.producers}
          hint={operator.producersHint}
          values={config.allowed_producers}
          choices={owners}
          onChange={(producers) => change({ allowed_producers: [...producers] })}
        />
        <Tick
          label={operator.duties}
          hint={operator.dutiesHint}
          checked={config.separation_of_duties}
          onChange={(separation_of_duties) => change({ separation_of_duties })}
        />
        <Choices
          legend={operator.modes}
          hint={operator.modesHint}
          all={[...new Set([...MODES, ...config.modes])]}
          chosen={config.modes}
          onChange={(modes) => change({ modes })}
        />
        <Choices
          legend={operator.profiles}
          all={[...new Set([...Object.keys(PROFILES), ...Object.keys(config.required_profiles)])]}
          chosen={Object.keys(config.required_profiles)}
          onChange={(names) => {
            const versions: Record<string, string> = { ...PROFILES, ...config.required_profiles };
            const chosen = names.map((name) => [name, versions[name] ?? '']);
            change({ required_profiles: Object.fromEntries(chosen) as Record<string, string> });
          }}
        />
        <fieldset>
          <legend>{operator.limits}</legend>
          <p class="hint">{operator.limitsHint}</p>
          <div class="limits">
            {(Object.keys(DEFAULT_LIMITS) as Limit[]).map((name) => (
              <LimitField
                key={name}
                name={name}
                value={config.limits[name]}
                faulty={badLimits.includes(name)}
                onChange={(value) => change({ limits: { ...config.limits, [name]: value } })}
              />
            ))}
          </div>
        </fieldset>
        <AsJson value={config} />
      </form>
      <Change
        kind="route"
        id={id}
        looked={config}
        body={() => config}
        differences={differencesOf(route?.config ?? null, config)}
        ready={() => {
          setFaults(true);
          return !badId && badLimits.length === 0;
        }}
        current={async () => same(await readOne<AdminRoute>('routes', id), route)}
        saved={(result) => {
          if (route === null) location.assign(routeAddress(id));
          else props.saved((result as { revision: number }).revision);
        }}
      />
    </>
  );
}

function same(now: AdminRoute | null, then: AdminRoute | null): boolean {
  return now?.updated_at === then?.updated_at && now?.revision === then?.revision;
}

/** Boxes to tick, one for each of a few names. */
function Choices(props: {
  readonly legend: string;
  readonly hint?: string;
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}) {
  const { legend, hint, all, chosen, onChange } = props;
  return (
    <fieldset>
      <legend>{legend}</legend>
      {hint !== undefined && <p class="hint">{hint}</p>}
      {all.map((name) => (
        <Tick
          key={name}
          label={name}
          checked={chosen.includes(name)}
          onChange={(checked) =>
            onChange(all.filter((each) => (each === name ? checked : chosen.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
}

type Limit = keyof typeof DEFAULT_LIMITS;

function isLimit(name: Limit, value: unknown): boolean {
  return (
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= DEFAULT_LIMITS[name]
  );
}

function limitInWords(name: Limit, value: number): string {
  return name.endsWith('_seconds') ? spanInWords(value * 1000) : sizeInWords(value);
}

function LimitField(props: {
  readonly name: Limit;
  readonly value: unknown;
  readonly faulty: boolean;
  readonly onChange: (value: number) => void;
}) {
  const { name, value, faulty, onChange } = props;
  const most = DEFAULT_LIMITS[name];
  const unit = name.endsWith('_seconds') ? operator.seconds : operator.bytes;
  const words =
    typeof value === 'number' && Number.isFinite(value) ? limitInWords(name, value) : '–';
  return (
    <Field
      label={`${operator.limitNames[name]}, ${unit}`}
      hint={operator.limitHint(words, limitInWords(name, most))}
      fault={faulty && operator.limitFault(most)}
    >
      {({ id, describedBy, invalid }) => (
        <input
          id={id}
          type="number"
          min={1}
          max={most}
          step={1}
          value={Number.isFinite(value) ? String(value) : ''}
          aria-describedby={describedBy}
          aria-invalid={invalid}
          onInput={({ currentTarget }) => onChange(currentTarget.valueAsNumber)}
        />
      )}
    </Field>
  );
}
