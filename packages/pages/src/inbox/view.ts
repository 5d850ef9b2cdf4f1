import { INBOX_DECISIONS, INBOX_SORTS, INBOX_TABS } from '@countersign/protocol/inbox';
import type { InboxSort, InboxTab } from '@countersign/protocol';

export const GROUPS = ['due', 'route', 'producer', 'none'] as const;
export type Group = (typeof GROUPS)[number];

/** What the list shows. It stands in the fragment of the address: a search has words of summaries, and no server gets those. */
export interface View {
  readonly tab: InboxTab;
  readonly text: string;
  readonly sort: InboxSort;
  readonly group: Group;
  readonly route: string;
  readonly producer: string;
  /** Of decided requests; '' for any. */
  readonly decision: string;
  readonly by: '' | 'me' | 'others';
  /** The request at which the reader was; '' for none. */
  readonly at: string;
}

export const FIRST_VIEW: View = {
  tab: 'waiting',
  text: '',
  sort: 'deadline',
  group: 'due',
  route: '',
  producer: '',
  decision: '',
  by: '',
  at: '',
};

const oneOf = <Value extends string>(known: readonly Value[], given: string | null, usual: Value) =>
  known.find((value) => value === given) ?? usual;

/** Of `#decided?by=me`. Unknown values count as missing. */
export function viewOf(fragment: string): View {
  const [tab = '', query = ''] = fragment.replace(/^#/, '').split('?', 2);
  const given = new URLSearchParams(query);
  return {
    tab: oneOf(INBOX_TABS, tab, FIRST_VIEW.tab),
    text: given.get('q') ?? '',
    sort: oneOf(INBOX_SORTS, given.get('sort'), FIRST_VIEW.sort),
    group: oneOf(GROUPS, given.get('group'), FIRST_VIEW.group),
    route: given.get('route') ?? '',
    producer: given.get('producer') ?? '',
    decision: oneOf(['', ...INBOX_DECISIONS], given.get('decision'), ''),
    by: oneOf(['', 'me', 'others'], given.get('by'), ''),
    at: given.get('at') ?? '',
  };
}

/** The shortest fragment that {@link viewOf} reads back. */
export function fragmentOf(view: View): string {
  const { tab, text, at, ...rest } = view;
  const query = new URLSearchParams();
  if (text !== '') query.set('q', text);
  for (const [name, value] of Object.entries(rest)) {
    if (value !== FIRST_VIEW[name as keyof typeof rest]) query.set(name, value);
  }
  if (at !== '') query.set('at', at);
  const told = query.toString();
  return `#${tab}${told === '' ? '' : `?${told}`}`;
}

/** Another tab of the same filters; those that it does not have are left out. */
export function inTab(view: View, tab: InboxTab): View {
  return { ...view, tab, at: '', ...(tab === 'decided' ? {} : { decision: '', by: '' }) };
}

export function waits({ tab }: View): boolean {
  return tab === 'mine' || tab === 'waiting';
}

/** Whether a search or filter leaves anything out. */
export function isFiltered({ text, route, producer, decision, by }: View): boolean {
  return text.trim() + route + producer + decision + by !== '';
}

export function unfiltered(view: View): View {
  return { ...view, text: '', route: '', producer: '', decision: '', by: '' };
}

/** The address that is read, and the words of the search. */
export function readOf(
  view: View,
  more: { limit: number; after?: string },
): readonly [string, string] {
  const { tab, sort, route, producer, decision, by, text } = view;
  const query = new URLSearchParams({ tab, limit: String(more.limit) });
  if (waits(view)) query.set('sort', sort);
  for (const [name, value] of Object.entries({ route, producer, decision, by, ...more })) {
    if (value !== '') query.set(name, String(value));
  }
  return [
    `/inbox/data?${query}`,
    encodeURIComponent(text.trim().split(/\s+/).slice(0, 8).join(' ')),
  ];
}
