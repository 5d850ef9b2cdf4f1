/**
 * Sends a text at once, and what comes of the same text within `spaceMs` as one, at their end: who is told again and again
 * that there is work learns nothing new by it.
 */
export function spaced(send: (text: string) => void, spaceMs: number): (text: string) => void {
  /** Texts of the last `spaceMs`, and whether they came again. */
  const recent = new Map<string, boolean>();

  function sendOne(text: string): void {
    recent.set(text, false);
    setTimeout(() => {
      const again = recent.get(text);
      recent.delete(text);
      if (again) sendOne(text);
    }, spaceMs);
    send(text);
  }

  return (text) => {
    if (recent.has(text)) recent.set(text, true);
    else sendOne(text);
  };
}
