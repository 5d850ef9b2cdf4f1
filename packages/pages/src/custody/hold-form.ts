/** The fields of the form of a hold, as a person fills them in. */
export interface HoldForm {
  readonly reference: string;
  /** A day, `YYYY-MM-DD`. */
  readonly day: string;
  /** Ids of requests or addresses of their pages, apart by anything. */
  readonly ids: string;
  /** Ids of the requests that the hold has already. */
  readonly held: readonly string[];
  /** The end of the hold as it is, or null for a new one. */
  readonly before: string | null;
}

export interface HoldFault {
  readonly field: 'reference' | 'until' | 'requests';
  readonly is: 'missing' | 'earlier' | 'none' | 'many';
}

const ID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
/** Requests of one hold (protocol §20.2). */
const MOST = 200;

/** The ids of requests in a text, each once. */
export function idsIn(text: string): string[] {
  return [...new Set(text.toLowerCase().match(ID))];
}

/** The end of a day in UTC; the end of the hold as it is, where that is the same day. */
export function untilOf(day: string, before: string | null): string {
  return before?.slice(0, 10) === day ? before : `${day}T23:59:59.999Z`;
}

/** The first fault of a form that a person can see without the service, or null. */
export function faultOf({ reference, day, ids, held, before }: HoldForm): HoldFault | null {
  if (reference.trim() === '') return { field: 'reference', is: 'missing' };
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return { field: 'until', is: 'missing' };
  if (before !== null && Date.parse(untilOf(day, before)) < Date.parse(before)) {
    return { field: 'until', is: 'earlier' };
  }
  const requests = new Set([...held, ...idsIn(ids)]);
  if (requests.size === 0) return { field: 'requests', is: 'none' };
  return requests.size > MOST ? { field: 'requests', is: 'many' } : null;
}
