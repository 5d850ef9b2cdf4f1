import { Deadlines, Directory, Traces } from '@countersign/database';
import type {
  CallerIdentity,
  NewRecord,
  Pool,
  RoleName,
  Statement as Prepared,
} from '@countersign/database';
import { executionStatements } from '@countersign/execution-authority';
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
  ReminderSource,
  notifierStatements,
} from '@countersign/notifier';
import type { Lifecycle } from '@countersign/protocol';
import {
  DirectoryStore,
  HousekeepingStore,
  deletionStatements,
  requestStatements,
} from '@countersign/request';
import { reviewStatements } from '@countersign/review';
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
const entry = { tenant: 't', principal: 'p' };
const identity = { issuer: 'i', subject: 's', provedAt: null, acr: null, session: null };
const login = { nonce: '', codeVerifier: '', returnTo: '/', sessionState: null, stays: null };
const session = { digest, ...entry, csrf: '', identity };

/** The calls to one store: every one of its methods at least once, by name. */
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
    endSession: (s) => s.endSession('t', digest),
    restartLogin: (s) => s.restartLogin(digest, digest, login),
    startLogin: (s) => s.startLogin(digest, digest, login),
    claimLogin: (s) => s.claimLogin(digest, digest),
    people: (s) => s.people('issuer', 'subject'),
    hasChoice: (s) => s.hasChoice(entry),
    awaitChoice: (s) => s.awaitChoice(digest, digest, identity, ''),
    pendingChoice: (s) => s.pendingChoice(digest),
    finishLogin: (s) => s.finishLogin(digest, digest, digest, session),
    touchSession: (s) => s.touchSession('t', digest),
    sessionsOf: (s) => s.sessionsOf(entry, digest),
    endLapsed: (s) => s.endLapsed(500),
    endRevoked: (s) => s.endRevoked(500),
    endOwnSession: (s) => s.endOwnSession(entry, ''),
    endOtherSessions: (s) => s.endOtherSessions(entry, digest),
    endByProvider: (s) => s.endByProvider({ issuer: '', token: digest, subject: '', session: '' }),
    noteRefusal: (s) => s.noteRefusal({ tenant: 't', principal: 'p' }, 'identity_uncertain'),
    noteStepUp: (s) => s.noteStepUp({ tenant: 't', principal: 'p' }, 'route'),
    addRefusals: (s) => s.addRefusals([]),
    addHttpCounts: (s) => s.addHttpCounts([]),
    probe: (s) => s.probe(),
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
    length: (s) => s.length('t'),
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

/** Statements that stores export by name, by the role that asks them. */
const EXPORTED: readonly (readonly [RoleName, object])[] = [
  ['request', requestStatements],
  ['deletion', deletionStatements],
  ['review', reviewStatements],
  ['execution-authority', executionStatements],
  ['notifier', notifierStatements],
];

function exportedStatements(): Statement[] {
  return EXPORTED.flatMap(([role, of]) =>
    statementsIn(of).map(({ name, text, names, about }): Statement => {
      const scope = about === 'tenant' ? { tenant: NAMED['tenant'] as string } : about;
      return { role, name, text, names, scope };
    }),
  );
}

/** A statement, or those of a table of them; other exports of a store are none. */
function statementsIn(exported: unknown): Prepared[] {
  if (typeof exported !== 'object' || exported === null || Array.isArray(exported)) return [];
  if ('names' in exported && 'about' in exported) return [exported as Prepared];
  return Object.values(exported).flatMap(statementsIn);
}

/**
 * Every statement of every store, each once. Throws for a method that is not called above: a new one is to be looked at
 * like the others.
 */
export async function serviceStatements(): Promise<Statement[]> {
  const recorded = exportedStatements();
  for (const { role, open, calls: asked } of STORES) {
    const store = open(recordingPool(role, recorded));
    const missing = methodsOf(store).filter((name) => !(name in asked));
    if (missing.length > 0) throw new Error(`no statement is known of ${missing.join(', ')}`);
    for (const ask of Object.values(asked)) await ask(store);
  }
  // One text may be asked in several scopes, and the tests of scopes look at each.
  const scopeOf = ({ scope }: Statement) => (typeof scope === 'object' ? 'one tenant' : scope);
  return [
    ...new Map(
      recorded.map((of) => [`${of.role} ${scopeOf(of)} ${of.name} ${of.text}`, of]),
    ).values(),
  ];
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
