import { FAILURES } from '../app-host/failures.js';

/** The app beside the material. */
export const app = {
  title: 'App',
  lead: (publisher: string) =>
    `Shown by an app of ${publisher}, apart from this page. It can propose an answer but cannot confirm it.`,
  titleOf: (publisher: string) => `App of ${publisher}`,
  failures: FAILURES,
  loading: 'Loading the app …',
  failed: 'You can read and decide everything on this page without it.',
  full: 'Full width',
  notFull: 'Beside the decision',
  another: 'Allow the app one more proposal',
} as const;
