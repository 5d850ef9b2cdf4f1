import plain from './icon.svg';
import waiting from './icon-waiting.svg';

/** The icon of this tab, with a dot while something waits for its reader. */
export function showWaiting(isSomething: boolean): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
  if (link !== null) link.href = isSomething ? waiting : plain;
}
