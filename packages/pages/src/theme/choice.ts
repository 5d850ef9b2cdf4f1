export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const COOKIE = '__Host-proto-theme';
const A_YEAR = 365 * 24 * 60 * 60;
const SYSTEM_IS_DARK = '(prefers-color-scheme: dark)';

const listeners = new Set<() => void>();

/** The colours that the reader wants: the gateway has written them into the document, so that none flash up before. */
export function chosenTheme(): Theme {
  const { theme } = document.documentElement.dataset;
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Takes effect at once, and on every page of this browser from the next one on. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  const seconds = theme === 'system' ? 0 : A_YEAR;
  document.cookie = `${COOKIE}=${theme}; Max-Age=${seconds}; Path=/; Secure; SameSite=Lax`;
  for (const listener of listeners) listener();
}

/** Calls back when the colours may have changed: for drawings that CSS does not reach. Returns the way to end that. */
export function onColours(listener: () => void): () => void {
  const system = matchMedia(SYSTEM_IS_DARK);
  system.addEventListener('change', listener);
  listeners.add(listener);
  return () => {
    system.removeEventListener('change', listener);
    listeners.delete(listener);
  };
}

/** The present value of a colour token, within an element. */
export function colourOf(element: HTMLElement, token: string): string {
  const probe = document.createElement('span');
  probe.style.color = `var(${token})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
