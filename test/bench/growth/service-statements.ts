import { Deadlines, Directory, Traces } from '@countersign/database';
import type {
  CallerIdentity,
  NewAnswer,
  NewRecord,
  Pool,
  RoleName,
  StepStatement,
} from '@countersign/database';
import { ExecutionStore, executionStatements } from '@countersign/execution-authority';
import { createStore } from '@countersign/gateway';
import {
  ComparisonStore,
  LagStore,
  LedgerStore,
  MetricsStore,
  SecurityReadingStore,
  SecurityStore,
  SecurityStreamStore,
  TreeStore,
} from '@countersign/ledger';
import {
  DeliveryStore,
  FeedStore,
  NotifierStore,
  ReminderSource,
  notifierStatements,
} from '@countersign/notifier';
import type { Lifecycle } from '@countersign/protocol';
import {
  BundleStore,
  CREATE,
  CreationStore,
  DELETE_PRIVATE,
  DISCARD,
  EXPIRE,
  SUPERSEDE,
  WITHDRAW,
  DeletionStore,
  AdminStore,
  DirectoryStore,
  ExpiryStore,
  HousekeepingStore,
  ListStore,
  QUOTA_AMOUNTS,
  RequestStore,
} from '@countersign/request';
import { ReviewStore, reviewStatements } from '@countersign/review';
import { NAMED } from './named.js';
import { recordingPool } from './statement.js';
import type { Statement } from './statement.js';

const id = NAMED['id'] as string;
const digest = `sha256:${'0'.repeat(64)}` as const;
const caller: CallerIdentity = { tenant: 't', id: 'owner', kind: 'producer', credential: null };
const item = { tenant: 't', requestId: id, kind: 'review', due: 0 };
const delivered = { ...item, kind: `smtp.${id}` };
const delivery = {
  ...{ id, attempts: 0, createdAt: 0, nextAt: 0, tenant: 't', requestId: id, recipient: 'p' },
  ...{ event: null, summary: '', requester: 'p', retained: true, principal: null, reviews: false },
  kind: 'smtp',
  state: 'pending',
} as const;

const state: Lifecycle = {
  purpose: 'review',
  decision: 'pending',
  audit: 'unanchored',
  grant: 'not_applicable',
  execution: 'not_applicable',
  revision: 1,
  invalidated: null,
  reviewDeadline: 0,
  grantDeadline: null,
  privateDeleteAt: 0,
  materialDeleted: false,
  remindedAt: null,
  claimed: false,
  outcomeRecorded: false,
  admissions: 0,
};
const record: NewRecord = {
  id,
  type: 'RequestChangedEvent',
  audience: 'owner',
  issuedAt: '2026-11-20T00:00:00.000Z',
  text: '{}',
  digest,
};
const answer: NewAnswer = {
  call: { caller: { id: 'owner' }, scope: 'operation', key: 'key', text: '{}' },
  status: 200,
  result: '{}',
};
const unwitnessed = {
  ...{ tenant: 't', ledgerId: id, generation: id, size: 1, note: '', witnessed: 0 },
};
const cosignature = { witness: 'witness', keyId: '00000000', time: 0, line: '' };
const checkpoint = {
  ...{ ledger_id: id, generation: id, sequence: 2, previous_sequence: 1, record: '{}' },
  ...{ created_at: 0, acceptance: null },
};
const securityPosition = {
  ...{ tenant: 't', ledgerId: id, generation: id, sequence: 1, head: digest, now: 0 },
};
const streamBounds = { entries: 1000, hours: 1 };
const streamedEntry = {
  ...{ tenant: 't', ledger_id: id, sequence: 1, previous_head: '', head: '', entry: '{}' },
};
const securityCheckpoint = { ...securityPosition, text: '{}', createdAt: 0 };
const position = { ...checkpoint, checkpoint_sequence: 1, head: digest, now: 0 };
const bundle = { id, publisher: 'p', digest, manifest: '{}', html: '', bytes: 0, createdAt: 0 };
const entry = { tenant: 't', principal: 'p' };
const identity = { issuer: 'i', subject: 's', provedAt: null, acr: null, session: null };
const login = { nonce: '', codeVerifier: '', returnTo: '/', sessionState: null, stays: null };
const session = { digest, ...entry, csrf: '', identity };

/** What one store is asked: every one of its methods at least once, by name. */
interface StoreCalls<Store> {
  readonly role: RoleName;
  readonly open: (pool: Pool) => Store;
  readonly calls: Readonly<Record<string, (store: Store) => unknown>>;
}

const calls = <Store>(
  role: RoleName,
  open: (pool: Pool) => Store,
  asked: StoreCalls<Store>['calls'],
) => ({ role, open, calls: asked }) as StoreCalls<unknown>;

const STORES: readonly StoreCalls<unknown>[] = [
  calls('gateway', createStore, {
    principalOfToken: (s) => s.principalOfToken(digest),
    session: (s) => s.session(digest),
    sessionState: (s) => s.sessionState(digest),
    endSession: (s) => s.endSession(digest),
    restartLogin: (s) => s.restartLogin(digest, digest, login),
    startLogin: (s) => s.startLogin(digest, digest, login),
    claimLogin: (s) => s.claimLogin(digest, digest),
    people: (s) => s.people('issuer', 'subject'),
    hasChoice: (s) => s.hasChoice(entry),
    awaitChoice: (s) => s.awaitChoice(digest, digest, identity, ''),
    pendingChoice: (s) => s.pendingChoice(digest),
    finishLogin: (s) => s.finishLogin(digest, digest, digest, session),
    touchSession: (s) => s.touchSession(digest),
    sessionsOf: (s) => s.sessionsOf(entry, digest),
    endLapsed: (s) => s.endLapsed(500),
    endOwnSession: (s) => s.endOwnSession(entry, ''),
    endOtherSessions: (s) => s.endOtherSessions(entry, digest),
    endByProvider: (s) => s.endByProvider({ issuer: '', token: digest, subject: '', session: '' }),
    noteRefusal: (s) => s.noteRefusal({ tenant: 't', principal: 'p' }, 'identity_uncertain'),
    noteStepUp: (s) => s.noteStepUp({ tenant: 't', principal: 'p' }, 'route'),
    addRefusals: (s) => s.addRefusals([]),
    addHttpCounts: (s) => s.addHttpCounts([]),
    probe: (s) => s.probe(),
  }),
  calls('request', (pool) => new RequestStore(pool), {
    status: (s) => s.status(caller, id),
    integral: (s) => s.integral(caller, id, 'operation', 'key'),
    directoryRevision: (s) => s.directoryRevision('t'),
    material: (s) => s.material(caller, id, false),
    app: (s) => s.app(caller, id, false),
    hitl: (s) => s.hitl(caller, id),
  }),
  calls('request', (pool) => new ListStore(pool), {
    list: async (s) => {
      for (const scope of ['operator', 'owner', 'human'] as const) {
        for (const filter of ['', 'pending', 'expired', 'confirmed']) {
          await s.list(caller, scope, 0, filter);
        }
      }
    },
  }),
  calls('request', (pool) => new AdminStore(pool), {
    directoryRevision: (s) => s.directoryRevision('t'),
    routes: (s) => s.routes('t', null, ''),
    principals: (s) => s.principals('t', null, ''),
    requests: async (s) => {
      const all = { state: '', route: null, producer: null, since: null, before: null };
      for (const filter of [all, { ...all, route: 'route' }, { ...all, producer: 'owner' }])
        await s.requests('t', { ...filter, behind: null });
    },
    deliveries: (s) => s.deliveries('t', 'failed', null),
    incidents: (s) => s.incidents('t', null, null),
  }),
  calls('request', (pool) => new CreationStore(pool, QUOTA_AMOUNTS), {
    load: (s) =>
      s.load(caller, 'operation', 'key', { bundle: id, occurrence: 'o', recoveryOf: 'r' }),
    valuesOf: () => null,
  }),
  calls('request', (pool) => new BundleStore(pool, QUOTA_AMOUNTS), {
    refusal: (s) => s.refusal(caller, 'operation', 'key'),
    register: (s) => s.register('t', 1, bundle, record, answer),
  }),
  calls('request', (pool) => new ExpiryStore(pool), {
    load: (s) => s.load(item),
  }),
  calls('deletion', (pool) => new DeletionStore(pool), {
    load: (s) => s.load(item),
    sweepPrivate: (s) => s.sweepPrivate(item),
    // Nothing is chained here.
    deleteRequest: (s) => s.deleteRequest(item).catch(() => null),
  }),
  calls('deletion', (pool) => new HousekeepingStore(pool), {
    enlist: (s) => s.enlist(),
    claim: (s) => s.claim(1000),
    end: (s) => s.end('t', 1000, true, true),
    noteRun: (s) => s.noteRun('t', true),
    sets: async (s) => {
      const { ofTenant, ofNone } = s.sets({
        kept: 1000,
        unusedBundle: 1000,
        parcel: 1000,
        trace: 1000,
      });
      for (const set of [...ofTenant, ...ofNone]) await set.clear('t', 500, 0);
    },
  }),
  calls('request', (pool) => new DirectoryStore(pool), {
    change: (s) =>
      s.change('t', async (change) => {
        await change.principal('owner');
        await change.route('route');
        await change.savePrincipal('owner', 'producer', { enabled: true }, {});
        await change.saveCredential('owner', digest);
        await change.hasWebhookSecret('owner');
        await change.affectedByOwner('owner');
        await change.affectedByRoute('route');
        await change.affectedByPerson('person');
        await change
          .saveInvalidated([{ id, version: 1, next: state, records: [record] }])
          .catch(() => null);
        await change.dropReviewer('person', 'route');
        await change.saveRecord(record);
        await change.saveSecurityEvent({ kind: 'principal.changed', actor: null });
      }),
    view: (s) =>
      s.view('t', async (view) => {
        await view.affectedByOwner('owner');
        await view.affectedByRoute('route');
        await view.affectedByPerson('person');
        await view.opened(['person'], null);
      }),
  }),
  calls('request', (pool) => new Deadlines(pool, ['review', 'grant']), {
    upcoming: (s) => s.upcoming(1000, item, 100),
    overdue: (s) => s.overdue(),
    finish: (s) => s.finish(item),
    failed: (s) => s.failed(item),
  }),
  calls('request', (pool) => new Directory(pool), {
    principal: (s) => s.principal('t', 'owner', 1).catch(() => null),
    route: (s) => s.route('t', 'route', 1).catch(() => null),
  }),
  calls('review', (pool) => new ReviewStore(pool), {
    load: (s) => s.load(caller, id, 'operation', 'key'),
  }),
  calls('execution-authority', (pool) => new ExecutionStore(pool), {
    loadForClaim: (s) => s.loadForClaim(caller, id, 'operation', 'key', 'identity'),
    loadForAdmission: (s) => s.loadForAdmission(caller, id, 'nonce'),
    loadForOutcome: (s) => s.loadForOutcome(caller, id, 'operation', 'key'),
    loadForWorker: (s) => s.loadForWorker(item),
    reconciliationOver: (s) => s.reconciliationOver(item, 'reconciliation_overdue'),
  }),
  calls('ledger', (pool) => new LedgerStore(pool), {
    drain: (s) => s.drain('t', 100),
    tenantsWaiting: (s) => s.tenantsWaiting(),
    position: (s) => s.position('t', 100),
    saveCheckpoint: (s) => s.saveCheckpoint('t', position, '{}'),
    checkpointAndDrain: (s) => s.checkpointAndDrain('t', position, '{}', 100),
    tenantsUnanchored: (s) => s.tenantsUnanchored(),
    nextCheckpoint: (s) => s.nextCheckpoint('t'),
    decisions: (s) => s.decisions('t', 0, 100),
    anchor: (s) => s.anchor('t', checkpoint, '{}', []),
    noteFailure: (s) => s.noteFailure('t', checkpoint, 'fault'),
    fence: (s) => s.fence('t', 'reason'),
    export: (s) => s.export(caller, id, false),
    entriesOf: (s) => s.entriesOf('t', id),
    recordsOf: (s) => s.recordsOf('t', id),
    entries: (s) => s.entries('t', 0, 100),
    events: (s) => s.events('t', 'owner', 0, 100),
    directoryRevision: (s) => s.directoryRevision('t'),
  }),
  calls('ledger', (pool) => new MetricsStore(pool), {
    snapshot: (s) => s.snapshot('t', 50),
    noteRun: (s) => s.noteRun('t', 'outbox', true),
  }),
  calls('ledger', (pool) => new TreeStore(pool), {
    behind: (s) => s.behind(),
    position: (s) => s.position('t'),
    digests: (s) => s.digests('t', 0, 100),
    tiles: (s) => s.tiles('t', [{ level: 0, index: 0 }]),
    append: (s) => s.append('t', id, { from: 0, to: 1, tiles: [], note: '' }),
    published: (s) => s.published(id, id),
    directoryRevision: (s) => s.directoryRevision('t'),
    unwitnessed: (s) => s.unwitnessed('witness', '00000000', 10),
    saveCosignature: (s) => s.saveCosignature(unwitnessed, cosignature),
  }),
  calls('ledger', (pool) => new SecurityStore(pool), {
    waiting: (s) => s.waiting(),
    drain: (s) => s.drain('t', 100),
    unsigned: (s) => s.unsigned(100, 300),
    saveCheckpoint: (s) => s.saveCheckpoint(securityPosition, '{}'),
    openCheckpoints: (s) => s.openCheckpoints(),
    accepted: (s) => s.accepted(securityCheckpoint, '{}'),
    failed: (s) => s.failed(securityCheckpoint, 'anchor_unavailable'),
    lag: (s) => s.lag(),
  }),
  calls('ledger', (pool) => new SecurityReadingStore(pool), {
    logOf: (s) => s.logOf('t'),
    chainIdOf: (s) => s.chainIdOf('t'),
    list: async (s) => {
      const times = { since: 0, before: 1 };
      const none = { kind: null, actor: null, subject: null, request: null, ...times };
      for (const one of [{}, { kind: 'k' }, { actor: 'a' }, { subject: 's' }, { request: id }]) {
        await s.list('t', { ...none, ...one }, 10, 100);
      }
    },
    chain: (s) => s.chain('t', 0, 100),
    checkpoints: (s) => s.checkpoints('t', 0, 100),
  }),
  calls('security-log', (pool) => new SecurityStreamStore(pool), {
    hold: (s) => s.hold('otlp', id, 30),
    release: (s) => s.release('otlp', id),
    begin: (s) => s.begin('otlp', streamBounds),
    skip: (s) => s.skip('otlp', streamBounds),
    next: (s) => s.next('otlp', 100),
    sent: (s) => s.sent('otlp', [streamedEntry], 0),
    metrics: (s) => s.metrics(['otlp']),
  }),
  calls('ledger', (pool) => new LagStore(pool), { lag: (s) => s.lag() }),
  calls('ledger', (pool) => new ComparisonStore(pool), {
    due: (s) => s.due(1000, 10),
    uncompared: (s) => s.uncompared('t'),
    heads: (s) => s.heads('t', [1, 2]),
    agreed: (s) => s.agreed('t'),
  }),
  calls('ledger', (pool) => new Traces(pool), {
    note: (s) => s.note('t', id, ''),
    of: (s) => s.of('t', [id]),
    ofEntries: (s) => s.ofEntries('t', 0, 100),
  }),
  calls('notifier', (pool) => new NotifierStore(pool), {
    load: (s) => s.load(caller, id, 'operation', 'key'),
  }),
  calls('notifier', (pool) => new FeedStore(pool), {
    tenantsBehind: (s) => s.tenantsBehind(),
    mostBehind: (s) => s.mostBehind(),
    passOver: (s) => s.passOver('t'),
    batch: (s) => s.batch('t', 100),
    concerned: (s) => s.concerned('t', [id]),
    operators: (s) => s.operators('t'),
    follow: (s) => s.follow('t', 0, 1, []),
  }),
  calls('notifier', (pool) => new DeliveryStore(pool), {
    upcoming: (s) => s.upcoming(1000, delivered, 100),
    overdue: (s) => s.overdue(),
    failed: (s) => s.failed(delivered),
    load: (s) => s.load(delivered),
    claim: (s) => s.claim(delivery, digest),
    claimMail: (s) => s.claimMail(delivery, digest),
    giveBackMail: (s) => s.giveBackMail(delivery, { id, attempts: 1, now: 0 }),
    settle: (s) =>
      s.settle(
        delivery,
        { id, attempts: 1, now: 0 },
        { state: 'accepted', error: null, nextAt: null },
      ),
    end: (s) => s.end(delivery, 'expired', null),
  }),
  calls('notifier', (pool) => new ReminderSource(pool, 600), {
    upcoming: (s) => s.upcoming(1000, item, 100),
    overdue: (s) => s.overdue(),
    dueOf: (s) => s.dueOf(state),
    failed: (s) => s.failed(),
    load: (s) => s.load(item),
  }),
];

/** Statements that steps are committed with, which no store asks by itself. */
const STEPS: readonly (readonly [RoleName, readonly object[]])[] = [
  ['request', [CREATE, SUPERSEDE, WITHDRAW, DISCARD, EXPIRE]],
  ['deletion', [DELETE_PRIVATE]],
  ['review', Object.values(reviewStatements)],
  ['execution-authority', Object.values(executionStatements)],
  ['notifier', Object.values(notifierStatements)],
];

function stepStatements(): Statement[] {
  return STEPS.flatMap(([role, exported]) =>
    exported
      .filter((of): of is StepStatement => 'shape' in of)
      .map(({ name, text, names }): Statement => ({
        role,
        name,
        text,
        names,
        scope: { tenant: 't' },
      })),
  );
}

/**
 * Every statement of every store, each once. Throws for a method that is not called above: a new one is to be looked at
 * like the others.
 */
export async function serviceStatements(): Promise<Statement[]> {
  const recorded = stepStatements();
  for (const { role, open, calls: asked } of STORES) {
    const store = open(recordingPool(role, recorded));
    const missing = methodsOf(store).filter((name) => !(name in asked));
    if (missing.length > 0) throw new Error(`no statement is known of ${missing.join(', ')}`);
    for (const ask of Object.values(asked)) await ask(store);
  }
  // One text may be asked in several scopes, and the tests of scopes look at each.
  const scopeOf = ({ scope }: Statement) => (typeof scope === 'object' ? 'one tenant' : scope);
  return [...new Map(recorded.map((of) => [`${of.role} ${scopeOf(of)} ${of.text}`, of])).values()];
}

/** Names of the classes whose statements {@link serviceStatements} has. */
export function storesWithStatements(): string[] {
  return STORES.map(({ open }) => (open(recordingPool('request', [])) as object).constructor.name);
}

function methodsOf(store: unknown): string[] {
  const own = Object.keys(store as object);
  if (own.length > 0 && Object.getPrototypeOf(store) === Object.prototype) return own;
  return Object.getOwnPropertyNames(Object.getPrototypeOf(store)).filter(
    (name) => name !== 'constructor',
  );
}
