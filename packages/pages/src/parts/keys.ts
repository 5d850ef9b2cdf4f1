import { useLayoutEffect } from 'preact/hooks';

/** What keys without a modifier do, by their names; `Ctrl-K` also by ⌘. None of them may confirm a decision (protocol §12.6). */
export type Keys = Readonly<Record<string, () => void>>;

/** Listens for keys on the whole page, except while the reader types or a dialog is open. */
export function useKeys(keys: Keys): void {
  // Before the page is shown: a key that comes at once is not lost.
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey || document.querySelector('dialog[open]')) return;
      const withControl = event.ctrlKey || event.metaKey;
      if (!withControl && isTyping(event.target)) return;
      const name = withControl ? `Ctrl-${event.key.toUpperCase()}` : event.key;
      const act = Object.hasOwn(keys, name) ? keys[name] : undefined;
      if (!act) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  });
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !['checkbox', 'radio'].includes(target.type);
  return target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName);
}
