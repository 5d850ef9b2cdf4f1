import type { Draft } from '../form/draft.js';

/** A person's undecided draft for one request. */
export interface KeptDraft {
  readonly decision: string | null;
  readonly form: Draft;
  /** Text of the JSON editor, when it is in use. */
  readonly json: string | null;
}

// One entry for each person and request: another person in the same browser has other keys. They go when their answer
// is confirmed, when the person signs out, and after a week.

const PREFIX = 'countersign.draft.';
const KEPT_MS = 7 * 24 * 60 * 60_000;

function nameOf(subject: string, requestId: string): string {
  return `${PREFIX}${encodeURIComponent(subject)}/${requestId}`;
}

export function keepDraft(subject: string, requestId: string, draft: KeptDraft): void {
  try {
    const text = JSON.stringify({ ...draft, at: Date.now() });
    localStorage.setItem(nameOf(subject, requestId), text);
  } catch {
    // Storage is full or switched off: the answer is still on the page.
  }
}

export function takeDraft(subject: string, requestId: string): KeptDraft | null {
  try {
    const text = localStorage.getItem(nameOf(subject, requestId));
    return text === null ? null : (JSON.parse(text) as KeptDraft);
  } catch {
    return null;
  }
}

export function dropDraft(subject: string, requestId: string): void {
  localStorage.removeItem(nameOf(subject, requestId));
}

/** Deletes all drafts of a person; of others, only those older than a week. */
export function dropDraftsOf(subject: string): void {
  sweep((name) => name.startsWith(`${PREFIX}${encodeURIComponent(subject)}/`));
}

export function dropOldDrafts(now = Date.now()): void {
  sweep((_name, at) => now - at > KEPT_MS);
}

function sweep(goes: (name: string, at: number) => boolean): void {
  const names = Object.keys(localStorage).filter((name) => name.startsWith(PREFIX));
  for (const name of names) {
    let at = 0;
    try {
      at = (JSON.parse(localStorage.getItem(name) ?? '') as { at: number }).at;
    } catch {
      // Not one of ours any more.
    }
    if (goes(name, at)) localStorage.removeItem(name);
  }
}
