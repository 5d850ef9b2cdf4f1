export type ChosenTheme = 'light' | 'dark';

/** Set by the pages (packages/pages/src/theme/choice.ts). Any other value counts for none. */
const THEME = /(?:^|;\s*)__Host-proto-theme=(light|dark)(?:;|$)/;

/** The colours that this browser's reader wants in place of the system's. */
export function chosenTheme(cookies: string | undefined): ChosenTheme | null {
  return (THEME.exec(cookies ?? '')?.[1] ?? null) as ChosenTheme | null;
}
