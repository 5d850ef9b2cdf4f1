import { Approvers, Directory, Persons, Readings, SecurityJournal } from '@countersign/database';
import type { Saving } from '@countersign/database';
import type { ApprovalMetrics, KeyMetrics, Notary } from '@countersign/platform';
import { SUPPORTED_PROFILES } from '@countersign/protocol';
import type { Trust, WebhookRules } from '@countersign/protocol';
import { QUOTA_AMOUNTS } from './quotas.js';
import { AdminStore } from './store/admin-reads.js';
import { AnswerStore } from './store/answers.js';
import { BundleStore } from './store/bundles.js';
import { CreationStore } from './store/creation.js';
import { DirectoryStore } from './store/directory.js';
import { FiguresStore } from './store/figures.js';
import { HistoryStore } from './store/history.js';
import { InboxStore } from './store/inbox.js';
import { ListStore } from './store/lists.js';
import { RequestStore } from './store/requests.js';

export interface RequestOptions extends Saving {
  readonly notary: Notary;
  /** Throws the §10 refusal of a response schema, given as canonical text; remembers good ones. */
  readonly checkSchema: (tenant: string, schemaText: string) => Promise<void>;
  /** Whether creations count against quotas. */
  readonly quotas: boolean;
  readonly webhooks: WebhookRules;
  /** Where people log in: every human is one of this issuer (protocol R37). */
  readonly issuer: string;
  readonly mode: 'development' | 'production';
  /** For signed texts that are read back. */
  readonly trust: Trust;
  /** Profiles that the deployment offers beside those of the revision, each with its version (protocol §18.10). */
  readonly offered: Readonly<Record<string, string>>;
  /** Whether it offers legal holds (protocol §20). */
  readonly custody: boolean;
  readonly votes: Pick<ApprovalMetrics, 'ended'>;
  readonly keys: KeyMetrics;
  /** The origin of apps, with `{scope}` as one DNS label where it has one (protocol §8.6). */
  readonly sandboxOrigin: string;
}

export type RequestDeps = ReturnType<typeof requestDeps>;

export function requestDeps(options: RequestOptions) {
  const { pool, quotas, trust, offered, votes } = options;
  const amounts = quotas ? QUOTA_AMOUNTS : null;
  return {
    ...options,
    requests: new RequestStore(pool),
    lists: new ListStore(pool),
    inbox: new InboxStore(pool),
    histories: new HistoryStore(pool),
    figures: new FiguresStore(pool),
    admin: new AdminStore(pool),
    answers: new AnswerStore(pool),
    creations: new CreationStore(pool, amounts),
    bundles: new BundleStore(pool, amounts),
    configuration: new DirectoryStore(pool, votes),
    directory: new Directory(pool),
    approvers: new Approvers(pool, trust),
    persons: new Persons(pool, trust),
    readings: new Readings(pool),
    /** Of requests that this service handles. */
    profiles: { ...SUPPORTED_PROFILES, ...offered },
    /** For the security log: reads of private material, noted before they are answered. */
    journal: new SecurityJournal(pool),
  };
}
