/**
 * Sends a text at once, and its repetitions within `intervalMs` as one message at the end of the interval: repeated hints
 * that there is work carry no new information.
 */
export function throttle(send: (text: string) => void, intervalMs: number): (text: string) => void {
  /** Texts of the last `intervalMs`, and whether they were repeated. */
  const recent = new Map<string, boolean>();

  function sendOne(text: string): void {
    recent.set(text, false);
    setTimeout(() => {
      const again = recent.get(text);
      recent.delete(text);
      if (again) sendOne(text);
    }, intervalMs);
    send(text);
  }

  return (text) => {
    if (recent.has(text)) recent.set(text, true);
    else sendOne(text);
  };
}
