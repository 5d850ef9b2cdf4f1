import type { Language } from './language.js';

/** One page of packages/pages. */
export interface AppPage {
  /** The exact path, or with a final `/` everything below it. */
  readonly path: string;
  /** Folder below `packages/pages/src` whose main.tsx it starts with. */
  readonly name: string;
  readonly title: Readonly<Record<Language, string>>;
  /**
   * `person`: signed in; `reviewer`: a person who is no auditor; `operator`: a person with that power; `log-reader`: an operator
   * or an auditor; `anybody`: without a session too.
   */
  readonly for: 'person' | 'reviewer' | 'operator' | 'log-reader' | 'anybody';
  /** It is there only where the deployment offers this profile. */
  readonly profile?: 'proto.human-key';
}

const ADMIN = { en: 'Admin', de: 'Betrieb' } as const;

/** Where an auditor's login leads. */
export const SECURITY_LOG_PAGE = '/security-log';

/**
 * Pages that need nothing of the server but who reads them. `/review/{id}` is apart (people.ts): it is looked up, and
 * may frame an app.
 */
export const APP_PAGES: readonly AppPage[] = [
  { path: '/inbox', name: 'inbox', title: { en: 'Inbox', de: 'Eingang' }, for: 'reviewer' },
  {
    path: '/sessions',
    name: 'sessions',
    title: { en: 'My sessions', de: 'Meine Sitzungen' },
    for: 'person',
  },
  {
    path: '/notifications',
    name: 'notifications',
    title: { en: 'Notifications', de: 'Benachrichtigungen' },
    for: 'reviewer',
  },
  {
    path: '/me',
    name: 'keys',
    title: { en: 'My keys', de: 'Meine Schlüssel' },
    for: 'reviewer',
    profile: 'proto.human-key',
  },
  { path: '/operator', name: 'operator', title: ADMIN, for: 'operator' },
  { path: '/operator/', name: 'operator', title: ADMIN, for: 'operator' },
  {
    path: SECURITY_LOG_PAGE,
    name: 'security-log',
    title: { en: 'Security log', de: 'Sicherheitsprotokoll' },
    for: 'log-reader',
  },
  { path: '/auditor', name: 'auditor', title: { en: 'Audit', de: 'Nachprüfung' }, for: 'anybody' },
];

/** Where a deployment offers legal holds. */
export const CUSTODY_PAGE: AppPage = {
  path: '/custody',
  name: 'custody',
  title: { en: 'Custody', de: 'Verwahrung' },
  for: 'reviewer',
};
