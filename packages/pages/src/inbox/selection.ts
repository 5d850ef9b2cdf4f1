import type { RequestListItem } from '@countersign/protocol';

export type Tab = 'mine' | 'waiting' | 'decided';

/** The facts about a request that never change and are not in the list. */
export interface Origins {
  readonly route: string;
  readonly producer: string;
  /** Of its receipt, once it is decided. */
  readonly outcome?: Outcome;
}

export interface Outcome {
  readonly decision: string;
  readonly reviewer: string;
  readonly confirmed_at: string;
}

export interface Choice {
  readonly tab: Tab;
  readonly text: string;
  /** The end of a request or its decision; '' for any. */
  readonly state: string;
  /** '' for any person. */
  readonly by: '' | 'me' | 'others';
  readonly route: string;
  readonly producer: string;
}

export const NO_CHOICE: Omit<Choice, 'tab'> = {
  text: '',
  state: '',
  by: '',
  route: '',
  producer: '',
};

/**
 * The requests of a tab that match search and filters: those that wait by their deadline, the others newest first as the
 * service lists them. A request with unknown facts does not match a filter by them.
 */
export function selected(
  items: readonly RequestListItem[],
  choice: Choice,
  origins: ReadonlyMap<string, Origins>,
  me: string,
): RequestListItem[] {
  const words = choice.text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = items.filter((item) => {
    if (!inTab(item, choice.tab, me)) return false;
    const known = origins.get(item.id);
    const outcome = known?.outcome;
    if (choice.state !== '' && ![item.decision, outcome?.decision].includes(choice.state)) {
      return false;
    }
    if (choice.by !== '' && (!outcome || (outcome.reviewer === me) !== (choice.by === 'me'))) {
      return false;
    }
    if (choice.route !== '' && known?.route !== choice.route) return false;
    if (choice.producer !== '' && known?.producer !== choice.producer) return false;
    const text =
      `${item.summary} ${item.id} ${known?.route ?? ''} ${known?.producer ?? ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  if (choice.tab === 'decided') return found;
  return found.sort((a, b) => Date.parse(a.deadline) - Date.parse(b.deadline));
}

export function inTab(item: RequestListItem, tab: Tab, me: string): boolean {
  const waits = item.decision === 'pending';
  if (tab === 'decided') return !waits;
  return waits && (tab === 'waiting' || item.assignment?.reviewer === me);
}
