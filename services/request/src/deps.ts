import { Directory, SecurityJournal } from '@countersign/database';
import type { Saving } from '@countersign/database';
import type { Notary } from '@countersign/platform';
import type { WebhookRules } from '@countersign/protocol';
import { QUOTA_AMOUNTS } from './quotas.js';
import { AdminStore } from './store/admin-reads.js';
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
  /** The origin of apps, with `{scope}` as one DNS label where it has one (protocol §8.6). */
  readonly sandboxOrigin: string;
}

export type RequestDeps = ReturnType<typeof requestDeps>;

export function requestDeps(options: RequestOptions) {
  const { pool, quotas } = options;
  const amounts = quotas ? QUOTA_AMOUNTS : null;
  return {
    ...options,
    requests: new RequestStore(pool),
    lists: new ListStore(pool),
    inbox: new InboxStore(pool),
    histories: new HistoryStore(pool),
    figures: new FiguresStore(pool),
    admin: new AdminStore(pool),
    creations: new CreationStore(pool, amounts),
    bundles: new BundleStore(pool, amounts),
    configuration: new DirectoryStore(pool),
    directory: new Directory(pool),
    /** For the security log: reads of private material, noted before they are answered. */
    journal: new SecurityJournal(pool),
  };
}
