import { diffArrays } from 'diff';

import { canonicalText } from '../material/digest.js';

/** A line of the document: in both, in one alone, or the number of equal lines that are left out. */
export type ChangedLine =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly line: number; readonly text: string }
  | { readonly kind: 'gap'; readonly count: number };

/** A member of a JSON value that differs; null where there is none. */
export interface ChangedMember {
  /** Names and indexes on the way to it; none for the whole value. */
  readonly path: readonly string[];
  readonly before: string | null;
  readonly after: string | null;
}

export interface Part<Change> {
  readonly changes: readonly Change[];
  /** Of more changes only the first are listed. */
  readonly more: boolean;
}

export interface Comparison {
  readonly document: Part<ChangedLine>;
  readonly payload: Part<ChangedMember>;
  readonly schema: Part<ChangedMember>;
}

interface Compared {
  readonly review_document: string;
  readonly payload: unknown;
  readonly response_schema: unknown;
}

/** Texts that differ in more places than this are shown as wholly different: finding the shortest way would take minutes. */
const EDITS = { maxEditLength: 2_000, timeout: 800 } as const;
const MOST = { lines: 1_000, members: 300 } as const;
const CONTEXT = 3;
const SHOWN = 400;
/** Characters shown before the first that differs. */
const BEFORE = 60;

/** The differences between the material of two requests. */
export function compare(before: Compared, after: Compared): Comparison {
  return {
    document: changedLines(before.review_document, after.review_document),
    payload: changedMembers(before.payload, after.payload),
    schema: changedMembers(before.response_schema, after.response_schema),
  };
}

export function changedLines(before: string, after: string): Part<ChangedLine> {
  if (before === after) return { changes: [], more: false };
  const [old, now] = [before.split('\n'), after.split('\n')];
  const most = Math.min(old.length, now.length);
  let head = 0;
  while (head < most && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < most - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const gone = old.slice(head, old.length - tail);
  const come = now.slice(head, now.length - tail);
  const runs = runsOf(gone, come);

  const changes: ChangedLine[] = [];
  let line = head + 1;
  const same = (texts: readonly string[], first: number) =>
    texts.forEach((text, at) => changes.push({ kind: 'same', line: first + at, text: cut(text) }));
  const gap = (count: number) => count > 0 && changes.push({ kind: 'gap', count });
  const lead = now.slice(Math.max(0, head - CONTEXT), head);
  gap(head - lead.length);
  same(lead, head - lead.length + 1);
  for (const [place, run] of runs.entries()) {
    if (changes.length >= MOST.lines) return { changes, more: true };
    if (run.kind === 'same') {
      const { texts } = run;
      const hidden = texts.length - 2 * CONTEXT;
      if (hidden > 1) {
        same(texts.slice(0, CONTEXT), line);
        gap(hidden);
        same(texts.slice(-CONTEXT), line + texts.length - CONTEXT);
      } else same(texts, line);
      line += texts.length;
      continue;
    }
    const other = runs[run.kind === 'removed' ? place + 1 : place - 1];
    const opposite = other && other.kind !== 'same' && other.kind !== run.kind ? other.texts : [];
    for (const [at, text] of run.texts.slice(0, MOST.lines).entries()) {
      const number = run.kind === 'added' ? line + at : at;
      changes.push({ kind: run.kind, line: number, text: cut(text, opposite[at]) });
    }
    if (run.texts.length > MOST.lines) return { changes, more: true };
    if (run.kind === 'added') line += run.texts.length;
  }
  same(now.slice(now.length - tail, now.length - tail + CONTEXT), line);
  gap(tail - CONTEXT);
  return { changes, more: false };
}

interface Run<Item> {
  readonly kind: 'same' | 'added' | 'removed';
  readonly texts: readonly Item[];
}

/** Removed items come before those in their place. */
function runsOf(before: string[], after: string[]): Run<string>[] {
  const found = diffArrays(before, after, EDITS);
  const whole: readonly Run<string>[] = [
    { kind: 'removed', texts: before },
    { kind: 'added', texts: after },
  ];
  return (
    found?.map(({ added, removed, value }) => ({
      kind: removed ? ('removed' as const) : added ? ('added' as const) : ('same' as const),
      texts: value,
    })) ?? [...whole]
  ).filter(({ texts }) => texts.length > 0);
}

export function changedMembers(before: unknown, after: unknown): Part<ChangedMember> {
  const changes: ChangedMember[] = [];
  walk(before, after, [], changes);
  return { changes: changes.slice(0, MOST.members), more: changes.length > MOST.members };
}

/** One more than is shown, so that it is known whether there are more. */
const isFull = (changes: readonly unknown[]) => changes.length > MOST.members;

function walk(before: unknown, after: unknown, path: string[], changes: ChangedMember[]): void {
  if (isFull(changes) || before === after) return;
  if (Array.isArray(before) && Array.isArray(after)) return walkItems(before, after, path, changes);
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      const [old, now] = [own(before, name), own(after, name)];
      if (old === undefined || now === undefined) add([...path, name], old, now, changes);
      else walk(old, now, [...path, name], changes);
    }
    return;
  }
  add(path, before, after, changes);
}

/** Items that moved keep their likeness: a row that was put in is one change, not one for each row behind it. */
function walkItems(
  before: readonly unknown[],
  after: readonly unknown[],
  path: string[],
  changes: ChangedMember[],
): void {
  const texts = [before.map(canonicalText), after.map(canonicalText)] as const;
  let [old, now] = [0, 0];
  const runs = runsOf(...texts);
  for (const [place, { kind, texts: items }] of runs.entries()) {
    if (kind === 'same') {
      old += items.length;
      now += items.length;
      continue;
    }
    if (kind === 'added') {
      // Those beside a removed one were compared with it.
      const beside = runs[place - 1]?.kind === 'removed' ? (runs[place - 1]?.texts.length ?? 0) : 0;
      for (let at = beside; at < items.length && !isFull(changes); at += 1)
        add([...path, String(now + at)], undefined, after[now + at], changes);
      now += items.length;
      continue;
    }
    const next = runs[place + 1];
    const paired = next?.kind === 'added' ? next.texts.length : 0;
    for (let at = 0; at < items.length && !isFull(changes); at += 1) {
      if (at < paired)
        walk(before[old + at], after[now + at], [...path, String(now + at)], changes);
      else add([...path, String(old + at)], before[old + at], undefined, changes);
    }
    old += items.length;
  }
}

function add(path: string[], before: unknown, after: unknown, changes: ChangedMember[]): void {
  const [old, now] = [before, after].map((value) =>
    value === undefined ? null : typeof value === 'string' ? value : canonicalText(value),
  ) as [string | null, string | null];
  if (old === now && typeof before === typeof after) return;
  changes.push({ path, before: old && cut(old, now ?? ''), after: now && cut(now, old ?? '') });
}

/** A long text around the first character in which it differs from the other. */
function cut(text: string, other = ''): string {
  if (text.length <= SHOWN) return text;
  let first = 0;
  while (first < text.length && text[first] === other[first]) first += 1;
  const from = other === '' ? 0 : Math.max(0, first - BEFORE);
  const to = from + SHOWN;
  return `${from > 0 ? '… ' : ''}${text.slice(from, to)}${to < text.length ? ' …' : ''}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function own(object: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
