// Automatic calls of an unattended page must not keep a session alive (pages.md).

const UNATTENDED_AFTER_MS = 60_000;
const SIGNS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

let touchedAt = Date.now();

/** Notices when the reader does something on this page. */
export function watchReader(): void {
  const touch = (event: Event) => {
    if (event.isTrusted) touchedAt = Date.now();
  };
  for (const sign of SIGNS) {
    window.addEventListener(sign, touch, { passive: true, capture: true });
  }
}

/** Whether the reader has done anything on this page within the last minute. */
export function isAttended(): boolean {
  return Date.now() - touchedAt < UNATTENDED_AFTER_MS;
}
