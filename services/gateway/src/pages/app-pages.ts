/** One page of `web/src`. */
export interface AppPage {
  /** The exact path, or with a final `/` everything below it. */
  readonly path: string;
  /** Folder below `web/src` whose main.tsx it starts with. */
  readonly name: string;
  readonly title: string;
  /** `person`: signed in; `operator`: a person with that power; `anybody`: without a session too. */
  readonly for: 'person' | 'operator' | 'anybody';
}

/**
 * Pages that need nothing of the server but who reads them. `/review/{id}` is apart (people.ts): it is looked up, and
 * may frame an app.
 */
export const APP_PAGES: readonly AppPage[] = [
  { path: '/inbox', name: 'inbox', title: 'Inbox', for: 'person' },
  { path: '/sessions', name: 'sessions', title: 'My sessions', for: 'person' },
  { path: '/operator', name: 'operator', title: 'Operation', for: 'operator' },
  { path: '/operator/', name: 'operator', title: 'Operation', for: 'operator' },
  { path: '/auditor', name: 'auditor', title: 'Audit', for: 'anybody' },
];
