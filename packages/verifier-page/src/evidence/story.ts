import type { JsonValue, Verdict } from '@countersign/protocol/verifier';
import { element, visible } from '../elements.js';
import { itemsOf, member, textOf } from './document.js';

/** The history, in the order of time; a line whose record does not verify is marked. */
export function storyOf({ story }: Verdict): HTMLElement[] {
  if (story.length === 0) {
    return [
      element('li', {}, 'The file records no events: see what is left of the request below.'),
    ];
  }
  return story.map(({ at, says, proven }) =>
    element(
      'li',
      { class: proven ? 'proven' : 'unproven' },
      element('time', { datetime: at }, visible(moment(at))),
      ...(proven ? [] : [element('strong', {}, 'NOT PROVEN'), ' ']),
      visible(says),
    ),
  );
}

/** A time of the protocol for people; another text as it is. */
function moment(at: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d\.\d{3})Z$/.exec(at) ?? [];
  return day === undefined ? at : `${day} ${time} UTC`;
}

type Row = readonly [term: string, said: string, note?: string];

/** Who took part, as the request and its records say. */
export function peopleOf(document: JsonValue): HTMLElement[] {
  const exported = member(document, 'export');
  const request = member(exported, 'request');
  if (request === undefined) return [drawn(['Names', 'None is left'])];
  const of = (...names: string[]) => textOf(member(request, ...names));
  const records = itemsOf(member(exported, 'records'));
  const typed = (...types: string[]) =>
    records.filter((record) => types.includes(textOf(member(record, 'protected', 'type'))));
  const claims = typed('ExecutionClaim');
  const executes = of('purpose') === 'authorise_execution';
  const rows: Row[] = [
    ['Asked by', of('producer'), `a program of the tenant ${of('tenant')}`],
    ['On behalf of', of('requester', 'subject')],
    ['Asked at', moment(of('accepted_at'))],
    ['Purpose', executes ? 'Permission to act, once' : 'A review; it permits no action'],
    [
      'Sent to',
      `the reviewers of the route ${of('route')}`,
      `revision ${of('authorisation_revision')} of its rules; to decide until ${moment(of('review_deadline'))}`,
    ],
    ...typed('DecisionReceipt').map(decided),
    ...(typed('DecisionReceipt').length === 0
      ? [['Decided by', 'No decision is in this file'] as const]
      : []),
    ...(executes
      ? [
          ['Action', of('execution', 'action_occurrence_id')] as const,
          ...claims.map(claimed),
          ...(claims.length === 0 ? [['Done by', 'The right to act was not used'] as const] : []),
          ...typed('ExecutionOutcome', 'ExecutionReconciliation').map(ended),
        ]
      : []),
    ['Service', textOf(member(document, 'trust', 'issuer'))],
    ['Request', of('id'), textOf(member(exported, 'request_digest'))],
  ];
  return rows.map(drawn);
}

const decided = (record: JsonValue): Row => {
  const of = (name: string) => textOf(member(record, 'payload', name));
  const ends = of('grant_deadline');
  const until =
    ends === '' || of('decision') === 'refuse' ? '' : `; it could be used until ${moment(ends)}`;
  return [
    'Decided by',
    `${of('reviewer')}: ${of('decision')}`,
    `${moment(of('confirmed_at'))}${until}`,
  ];
};

const claimed = (record: JsonValue): Row => {
  const of = (name: string) => textOf(member(record, 'payload', name));
  return [
    'Done by',
    of('execution_identity'),
    `took the right to act at ${moment(of('claimed_at'))}`,
  ];
};

const ended = (record: JsonValue): Row => {
  const of = (...names: string[]) => textOf(member(record, 'payload', ...names));
  const by = `${of('recorded_by', 'subject')} (${of('recorded_by', 'kind')})`;
  return ['Outcome', of('outcome', 'status'), `reported by ${by} at ${moment(of('recorded_at'))}`];
};

function drawn([term, said, note = '']: Row): HTMLElement {
  const noted = note === '' ? [] : [element('div', { class: 'fine' }, visible(note))];
  return element('div', {}, element('dt', {}, term), element('dd', {}, visible(said), ...noted));
}
