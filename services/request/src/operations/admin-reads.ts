import {
  AUDIT_STATES,
  DECISION_STATES,
  EXECUTION_STATES,
  GRANT_STATES,
  Refusal,
  jsonText,
  parseTimestamp,
} from '@countersign/protocol';
import type {
  AdminDelivery,
  AdminIncident,
  AdminKey,
  AdminPage,
  AdminParameter,
  AdminPrincipal,
  AdminRequest,
  AdminRoute,
} from '@countersign/protocol';
import { requireCaller, requireOperator } from '@countersign/database';
import { answer, isId } from '@countersign/platform';
import type { Caller } from '@countersign/platform';
import type { RequestDeps } from '../deps.js';
import { wordsOf } from '../search-words.js';
import { statesIn } from '../status-view.js';
import { ADMIN_PAGE, LOOKED_AT } from '../store/admin-reads.js';
import type { Behind, AdminStore, AdminRequestRow, RequestFilter } from '../store/admin-reads.js';

// The lists of the operator pages (decisions/0016): of the operator's own tenant, and for operators alone.

type Params = { readonly [Name in AdminParameter]?: string };

/** Authorised in the service again, independently of the gateway. */
function adminList<Row, Item>(
  deps: RequestDeps,
  read: (store: AdminStore, tenant: string, params: Params) => Promise<Row[]>,
  itemOf: (row: Row) => Item,
  markOf: (item: Item) => string,
) {
  return async ({ caller, params }: { caller: Caller; params: Params }) => {
    const revision = await deps.directory.revision(caller.tenant);
    requireOperator(await requireCaller(deps.directory, caller, revision));
    const rows = await read(deps.admin, caller.tenant, params);
    const items = rows.slice(0, ADMIN_PAGE).map(itemOf);
    const last = items.at(-1);
    const next = rows.length > ADMIN_PAGE && last !== undefined ? markOf(last) : null;
    const page: AdminPage<Item> = { items, next };
    return answer(200, jsonText(page));
  };
}

const stamp = (milliseconds: number) => new Date(milliseconds).toISOString();

export function adminRoutes(deps: RequestDeps) {
  return adminList(
    deps,
    (store, tenant, { id, after }) => store.routes(tenant, id ?? null, after ?? ''),
    (row): AdminRoute => ({ ...row, updated_at: stamp(row.updated_at) }),
    ({ id }) => id,
  );
}

export function adminPrincipals(deps: RequestDeps) {
  return adminList(
    deps,
    (store, tenant, { id, after }) => store.principals(tenant, id ?? null, after ?? ''),
    (row): AdminPrincipal => ({ ...row, updated_at: stamp(row.updated_at) }),
    ({ id }) => id,
  );
}

const markOf = ({ accepted_at, id }: Pick<AdminRequest, 'accepted_at' | 'id'>) =>
  `${accepted_at}/${id}`;

export function adminRequests(deps: RequestDeps) {
  const list = adminList(
    deps,
    (store, tenant, params) => store.requests(tenant, filterOf(params)),
    requestOf,
    markOf,
  );
  return async (call: { caller: Caller; params: Params }) => {
    const { caller, params } = call;
    const { words, audit, grant, execution } = params;
    if (!words && !audit && !grant && !execution) return list(call);
    const revision = await deps.directory.revision(caller.tenant);
    requireOperator(await requireCaller(deps.directory, caller, revision));
    const { found, looked_at, last } = await deps.admin.found(caller.tenant, filterOf(params), {
      words: wordsOf(words),
      audit: stateOf(AUDIT_STATES, audit),
      grant: stateOf(GRANT_STATES, grant),
      execution: stateOf(EXECUTION_STATES, execution),
    });
    const items = found.slice(0, ADMIN_PAGE).map(requestOf);
    const end = items.at(-1);
    const behind = last === null || looked_at < LOOKED_AT ? null : `${stamp(last.at)}/${last.id}`;
    const next = found.length > ADMIN_PAGE && end !== undefined ? markOf(end) : behind;
    return answer(200, jsonText({ items, next } satisfies AdminPage<AdminRequest>));
  };
}

function filterOf({ state = '', route, producer, since, before, after }: Params): RequestFilter {
  if (state !== '') stateOf(DECISION_STATES, state);
  return {
    state,
    route: route ?? null,
    producer: producer ?? null,
    since: timeOf(since),
    before: timeOf(before),
    behind: behindOf(after),
  };
}

function stateOf(known: readonly string[], given: string | undefined): string | null {
  if (given !== undefined && !known.includes(given)) throw new Refusal('invalid_state');
  return given ?? null;
}

const DELIVERY_STATES = ['pending', 'accepted', 'failed', 'expired'];

export function adminDeliveries(deps: RequestDeps) {
  return adminList(
    deps,
    (store, tenant, { state = 'failed', after }) => {
      if (!DELIVERY_STATES.includes(state)) throw new Refusal('invalid_state');
      return store.deliveries(tenant, state, behindOf(after));
    },
    (row): AdminDelivery => ({
      ...row,
      created_at: stamp(row.created_at),
      next_at: row.next_at === null ? null : stamp(row.next_at),
    }),
    ({ created_at, id }) => `${created_at}/${id}`,
  );
}

export function adminIncidents(deps: RequestDeps) {
  return adminList(
    deps,
    (store, tenant, { id, after }) => {
      if (id !== undefined && !isId(id)) throw new Refusal('not_found');
      return store.incidents(tenant, id ?? null, behindOf(after));
    },
    (row): AdminIncident => ({ ...row, created_at: stamp(row.created_at) }),
    ({ created_at, id }) => `${created_at}/${id}`,
  );
}

export function adminKeys(deps: RequestDeps) {
  return adminList(
    deps,
    (store, tenant, { after }) => store.keys(tenant, behindOf(after)),
    ({ id, attempts, enrolled_at, issuer, subject, ...shown }): AdminKey => ({
      ...shown,
      credential: id,
      created_at: stamp(enrolled_at),
      login: { issuer, subject },
      attempt: attempts + 1,
    }),
    ({ created_at, credential }) => `${created_at}/${credential}`,
  );
}

function timeOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  const time = parseTimestamp(text);
  if (time === null) throw new Refusal('invalid_offset');
  return time;
}

/** `<time>/<id>` of the last item of the page before. */
function behindOf(text: string | undefined): Behind | null {
  if (text === undefined) return null;
  const [time = '', id = ''] = text.split('/', 2);
  const at = parseTimestamp(time);
  if (at === null || !/^[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}$/.test(id)) {
    throw new Refusal('invalid_offset');
  }
  return { at, id };
}

function requestOf(row: AdminRequestRow): AdminRequest {
  return {
    id: row.id,
    summary: row.summary,
    producer: row.owner,
    route: row.route,
    accepted_at: stamp(row.accepted_at),
    deadline: stamp(row.review_deadline),
    ...statesIn(row),
    invalidated: row.invalidated,
  };
}
