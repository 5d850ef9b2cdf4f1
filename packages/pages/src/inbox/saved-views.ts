import type { View } from './view.js';
import { fragmentOf } from './view.js';

/** A list that a person comes back to: its filters and order, never the words of a search. */
export interface SavedView {
  readonly name: string;
  /** The fragment of the inbox's address. */
  readonly address: string;
}

const MOST = 12;
export const LONGEST_NAME = 40;

const keyOf = (subject: string) => `countersign.views.${encodeURIComponent(subject)}`;

/** Kept in this browser, for each person apart. */
export function savedViews(subject: string): SavedView[] {
  try {
    const kept = JSON.parse(localStorage.getItem(keyOf(subject)) ?? '[]') as SavedView[];
    return kept.filter(({ name, address }) => name !== '' && address.startsWith('#'));
  } catch {
    return [];
  }
}

/** Under the name of an earlier one it replaces that; the oldest goes when there are too many. */
export function saveView(subject: string, name: string, view: View): SavedView[] {
  const short = name.trim().slice(0, LONGEST_NAME);
  const others = savedViews(subject).filter((each) => each.name !== short);
  const address = fragmentOf({ ...view, text: '', at: '' });
  return keep(subject, [...others, { name: short, address }].slice(-MOST));
}

export function dropView(subject: string, name: string): SavedView[] {
  return keep(
    subject,
    savedViews(subject).filter((each) => each.name !== name),
  );
}

function keep(subject: string, views: SavedView[]): SavedView[] {
  try {
    localStorage.setItem(keyOf(subject), JSON.stringify(views));
  } catch {
    // Storage is full or switched off: they last as long as the page.
  }
  return views;
}
