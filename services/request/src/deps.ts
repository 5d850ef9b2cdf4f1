import type { Directory, Saving, SecurityJournal } from '@countersign/database';
import type { Notary } from '@countersign/platform';
import type { WebhookRules } from '@countersign/protocol';
import type { BundleStore } from './store/bundles.js';
import type { CreationStore } from './store/creation.js';
import type { AdminStore } from './store/admin-reads.js';
import type { DirectoryStore } from './store/directory.js';
import type { FiguresStore } from './store/figures.js';
import type { HistoryStore } from './store/history.js';
import type { InboxStore } from './store/inbox.js';
import type { ListStore } from './store/lists.js';
import type { RequestStore } from './store/requests.js';

export interface RequestDeps extends Saving {
  readonly requests: RequestStore;
  readonly lists: ListStore;
  readonly inbox: InboxStore;
  readonly histories: HistoryStore;
  readonly admin: AdminStore;
  readonly figures: FiguresStore;
  readonly creations: CreationStore;
  readonly bundles: BundleStore;
  readonly configuration: DirectoryStore;
  readonly directory: Directory;
  /** For the security log: reads of private material, noted before they are answered. */
  readonly journal: SecurityJournal;
  readonly notary: Notary;
  /** Throws the §10 refusal of a response schema, given as canonical text; remembers good ones. */
  readonly checkSchema: (tenant: string, schemaText: string) => Promise<void>;
  readonly webhooks: WebhookRules;
  /** Where people log in: every human is one of this issuer (protocol R37). */
  readonly issuer: string;
  readonly mode: 'development' | 'production';
  /** The origin of apps, with `{scope}` as one DNS label where it has one (protocol §8.6). */
  readonly sandboxOrigin: string;
}
