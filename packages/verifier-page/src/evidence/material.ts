import type { CheckCode, JsonValue, Verdict } from '@countersign/protocol/verifier';
import { element, visible } from '../elements.js';
import { itemsOf, member, textOf } from './document.js';

/** As much as anybody reads on a page; the JSON has the rest. */
const MOST = 200_000;

/** What the reviewer saw and answered, each part with whether it has its signed digest; and what is gone. */
export function materialOf(document: JsonValue, verdict: Verdict): HTMLElement[] {
  const material = member(document, 'export', 'material');
  const gone = verdict.gone.map(({ says }) =>
    element('p', {}, element('strong', {}, 'Deleted. '), visible(says)),
  );
  if (material === undefined || material === null) {
    return [...gone, ...remainsOf(document)];
  }
  const bundle = member(material, 'bundle');
  const answer = member(material, 'candidate', 'response');
  return [
    ...gone,
    element('h3', {}, 'Document'),
    block('Document', textOf(member(material, 'review_document'))),
    digest(verdict, 'material_document'),
    element('h3', {}, 'Data'),
    block('Data', textOf(member(material, 'payload'))),
    digest(verdict, 'material_payload'),
    ...(bundle === undefined ? [] : appOf(bundle, verdict)),
    element('h3', {}, 'Answer'),
    ...(answer === undefined
      ? [element('p', {}, 'No answer is in this file.')]
      : [block('Answer', textOf(answer)), digest(verdict, 'receipt_candidate')]),
    element(
      'details',
      {},
      element('summary', {}, 'Form of the answer'),
      block('Form of the answer', textOf(member(material, 'response_schema'))),
      digest(verdict, 'material_schema'),
    ),
  ];
}

function appOf(bundle: JsonValue, verdict: Verdict): HTMLElement[] {
  const of = (name: string) => textOf(member(bundle, 'manifest', name));
  const says = `The data were shown in the app ${of('id')} of ${of('publisher')} too. Its page is in the evidence and is not run here.`;
  return [
    element('h3', {}, 'App'),
    element('p', {}, visible(says)),
    digest(verdict, 'material_bundle'),
  ];
}

/** Of a request that was deleted: the places that its records keep in the ledger. */
function remainsOf(document: JsonValue): HTMLElement[] {
  const entries = itemsOf(member(document, 'remains'));
  if (entries.length === 0) return [];
  const lines = entries.map((entry) => {
    const of = (name: string) => textOf(member(entry, name));
    return element('li', {}, visible(`Entry ${of('sequence')}: ${of('record_digest')}`));
  });
  return [element('h3', {}, 'What remains'), element('ul', {}, ...lines)];
}

function block(label: string, text: string): HTMLElement {
  const shown = text.length > MOST ? text.slice(0, MOST) : text;
  const pre = element(
    'pre',
    { tabindex: '0', role: 'region', 'aria-label': label },
    visible(shown),
  );
  if (shown === text) return pre;
  const cut = `The first ${MOST} of ${text.length} characters; the JSON has all of them.`;
  return element('div', {}, pre, element('p', { class: 'fine' }, cut));
}

/** Whether a part has the digest that the decision binds. */
function digest({ checks }: Verdict, code: CheckCode): HTMLElement {
  const of = (wanted: CheckCode) => checks.filter((check) => check.code === wanted);
  const holds = (wanted: CheckCode) =>
    of(wanted).length > 0 && of(wanted).every(({ status }) => status === 'holds');
  if (of(code).some(({ status }) => status === 'fails')) {
    return said('differs', 'NOT what was signed.', 'Its digest is another one.');
  }
  if (!holds(code)) return said('open', 'Not proven.', 'The file does not show what was signed.');
  return holds('request_bound') && holds('request_digest')
    ? said('same', 'As signed.', 'It has the digest that the signed records bind.')
    : said(
        'open',
        'Not signed yet.',
        'It has the digest in the request, which no verified record binds.',
      );
}

function said(kind: string, first: string, rest: string): HTMLElement {
  return element('p', { class: `digest fine ${kind}` }, element('strong', {}, first), ` ${rest}`);
}
