import type { CheckCode } from './checks.js';
import type { Check, TimelineStep, Verdict } from './verdict.js';

export interface ReportSection {
  readonly title: string;
  /** Never empty. */
  readonly lines: readonly string[];
}

export interface Summary {
  readonly headline: string;
  readonly sections: readonly ReportSection[];
}

/** Where a reader gives the verifier more to compare with: options of the command, fields of the page. */
export type Asking = 'flag' | 'field';

/** Checks against something that only the reader has. While it is not given, they are offered and not called open. */
const OFFERED: Partial<Record<CheckCode, Readonly<Record<Asking, string>>>> = {
  expected_tenant: { flag: '--tenant', field: 'Tenant' },
  expected_audience: { flag: '--audience', field: 'Producer' },
  expected_binding: { flag: '--binding', field: 'Digest of your execution' },
  expected_identity: { flag: '--identity', field: 'Your execution identity' },
  expected_nonce: { flag: '--nonce', field: 'Nonce of your admission' },
  human_pinned: { flag: '--people', field: 'Keys of people' },
  anchor_ledger: { flag: '--ledger', field: 'Ledger' },
  security_ledger: { flag: '--ledger', field: 'Ledger' },
};

/** Checks in which somebody outside the service vouches for the growth of its ledger. */
const STORES: readonly CheckCode[] = ['anchor_store', 'range_store', 'security_store'];
const OUTSIDE: readonly CheckCode[] = [...STORES, 'log_witnesses'];
const PLACES: readonly CheckCode[] = ['log_entries', 'log_growth', 'ledger_place'];

const STEPS = 6;
const FAILURES = 4;
const OPEN = 3;
const LINE = 240;

/** The verdict for people, in at most 25 lines: what happened, what vouches for it, what is open, what to ask next. */
export function summaryOf(verdict: Verdict, asking: Asking): Summary {
  const failed = verdict.checks.filter(({ status }) => status === 'fails');
  const story = { title: 'What happened', lines: storyLines(verdict.story) };
  const sections: ReportSection[] = [
    // What holds in a file that fails would only reassure.
    ...(failed.length > 0
      ? [{ title: 'Failed', lines: some(failed, FAILURES) }, story]
      : [
          story,
          { title: 'What vouches for it', lines: vouching(verdict) },
          { title: 'Open', lines: some(decisiveOpen(verdict), OPEN) },
        ]),
    { title: 'More', lines: more(verdict, asking) },
  ];
  return {
    headline: headlineOf(verdict),
    sections: sections.filter(({ lines }) => lines.length > 0),
  };
}

function headlineOf(verdict: Verdict): string {
  const kind = verdict.kind === null ? 'no document' : `a document of the kind "${verdict.kind}"`;
  return `${saying(verdict)} (${kind})`;
}

/** Decisive open points but the one that nothing outside the service vouches for its ledger. */
export function openBesidesVoucher(verdict: Verdict): Check[] {
  return decisiveOpen(verdict).filter(({ code }) => !OUTSIDE.includes(code));
}

/** Whether the check compares the file with something that only the reader has. */
export function isOffered({ code }: Pick<Check, 'code'>): boolean {
  return code in OFFERED;
}

/** A verdict as the answers to the two questions of a reader. */
export interface Answers {
  /** Whether the file is genuine: `alone` when nothing fails and only the service vouches for its ledger. */
  readonly genuine: 'yes' | 'alone' | 'open' | 'no';
  /** Whether it is about what the reader means: `unasked` when nothing was given that it could be compared with. */
  readonly meant: 'yes' | 'no' | 'unasked';
}

export function answersOf(verdict: Verdict): Answers {
  return { genuine: genuine(verdict), meant: meant(verdict) };
}

function genuine(verdict: Verdict): Answers['genuine'] {
  const { checks } = verdict;
  if (checks.some((check) => check.status === 'fails' && !isOffered(check))) return 'no';
  const open = decisiveOpen(verdict);
  if (open.length === 0) return 'yes';
  return openBesidesVoucher(verdict).length === 0 ? 'alone' : 'open';
}

function meant({ checks }: Verdict): Answers['meant'] {
  const compared = checks.filter(isOffered).map(({ status }) => status);
  if (compared.includes('fails')) return 'no';
  return compared.includes('holds') ? 'yes' : 'unasked';
}

function saying(verdict: Verdict): string {
  switch (verdict.verdict) {
    case 'holds':
      return 'HOLDS. Nothing fails, and the growth of the ledger is vouched for from outside the service.';
    case 'fails':
      return 'FAILS. Do not rely on this file.';
    case 'incomplete':
      return openBesidesVoucher(verdict).length === 0
        ? 'INCOMPLETE. Nothing fails, but the service alone vouches for its ledger.'
        : 'INCOMPLETE. Nothing fails, but a decisive check is open.';
  }
}

function storyLines(story: readonly TimelineStep[]): string[] {
  const brief = story.filter((step) => step.brief || !step.proven);
  const line = ({ at, says, proven }: TimelineStep) =>
    short(`${at}  ${proven ? '' : 'NOT PROVEN: '}${says}`);
  if (brief.length <= STEPS) return brief.map(line);
  const rest = brief.length - STEPS + 1;
  return [
    ...brief.slice(0, 3).map(line),
    `… ${rest} more steps`,
    ...brief.slice(3 + rest).map(line),
  ];
}

function vouching({ checks, gone, uncovered }: Verdict): string[] {
  const signatures = checks.filter(({ code }) => code === 'record_signature');
  const good = signatures.filter(({ status }) => status === 'holds').length;
  const outside = checks.filter(({ code, status }) => OUTSIDE.includes(code) && status === 'holds');
  const inTree = checks.some(({ code, status }) => code === 'log_entries' && status === 'holds');
  const places = checks.filter(
    // The tree says the same, and of more.
    ({ code }) => PLACES.includes(code) && !(inTree && code === 'ledger_place'),
  );
  const paths = uncovered.map(({ path }) => (path === '' ? 'its spelling' : path));
  return [
    ...(signatures.length === 0
      ? []
      : [`Signed by keys of the manifest: ${good} of ${signatures.length} records.`]),
    ...once(outside).map(({ says }) => short(says)),
    ...once(places).map(({ says }) => short(says)),
    ...(gone.length === 0 ? [] : [short(`Deleted: ${listed(gone.map(({ says }) => says))}`)]),
    ...(paths.length === 0 ? [] : [short(`No signature covers: ${listed(paths)}.`)]),
  ];
}

/** Decisive, and for the file to show: what the reader alone knows is offered instead. */
function decisiveOpen({ checks }: Verdict): Check[] {
  return checks.filter(
    ({ code, status, decisive }) => decisive && status !== 'holds' && !(code in OFFERED),
  );
}

function more({ checks }: Verdict, asking: Asking): string[] {
  const offered = checks.flatMap(({ code, status }) => {
    const name = status === 'not checked' ? OFFERED[code]?.[asking] : undefined;
    return name === undefined ? [] : [name];
  });
  const unasked = (of: readonly CheckCode[]) =>
    checks.some(({ code, status }) => of.includes(code) && status === 'not checked');
  const vouched = checks.some(({ code, status }) => OUTSIDE.includes(code) && status === 'holds');
  const store = { flag: '--store', field: 'Folder of the anchor store' }[asking];
  const policy = { flag: '--witness-policy', field: 'Witness policy' }[asking];
  return [
    ...(unasked(STORES) && !vouched
      ? [`A copy of the anchor store vouches from outside the service: ${store}`]
      : []),
    ...(unasked(['log_witnesses']) && !vouched
      ? [`Enough witnesses vouch from outside the service: ${policy}`]
      : []),
    ...(offered.length === 0
      ? []
      : [`To compare it with what you know: ${[...new Set(offered)].join(', ')}`]),
    asking === 'flag'
      ? `All ${checks.length} checks: --details`
      : `All ${checks.length} checks are listed below.`,
  ];
}

/** One line for each code. */
function some(checks: readonly Check[], most: number): string[] {
  const distinct = once(checks);
  const lines = distinct.map(({ says, path, code, reason }) =>
    short(`${says}${path === '' ? '' : ` (${path})`} [${reason ?? code}]`),
  );
  return lines.length <= most
    ? lines
    : [...lines.slice(0, most), `… and ${lines.length - most} more kinds`];
}

function once(checks: readonly Check[]): Check[] {
  return [...new Map([...checks].reverse().map((check) => [check.code, check])).values()].reverse();
}

function listed(texts: readonly string[]): string {
  const most = 6;
  const shown = texts.slice(0, most).join(', ');
  return texts.length > most ? `${shown} and ${texts.length - most} more` : shown;
}

function short(text: string): string {
  return text.length > LINE ? `${text.slice(0, LINE)}…` : text;
}
