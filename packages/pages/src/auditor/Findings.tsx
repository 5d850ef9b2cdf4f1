import type { Check, Verdict } from '@countersign/protocol';
import { answersOf, isOffered } from '@countersign/protocol/verifier/summary';

import { Chip } from '../parts/Chip.js';
import type { Tone } from '../parts/Chip.js';
import { Facts } from '../parts/Facts.js';
import { Notice } from '../parts/Notice.js';
import { auditor } from '../strings/auditor.js';
import { trustWords } from '../strings/trust.js';
import { SafeText } from '../text/SafeText.js';
import { Moment } from '../time/Moment.js';
import type { TrustAnswer } from '../verifying/messages.js';

const TONES = {
  genuine: { yes: 'good', alone: 'info', open: 'warning', no: 'bad' },
  meant: { yes: 'good', unasked: 'info', no: 'bad' },
} as const;
const STATUS_TONES: Readonly<Record<Check['status'], Tone>> = {
  holds: 'good',
  fails: 'bad',
  'cannot be known': 'warning',
  'not checked': 'warning',
};
const MOST = 100;

/** The answers to the reader's two questions, the file and the manifest that they are about, and the failed checks. */
export function Outcome(props: {
  readonly name: string;
  readonly verdict: Verdict;
  readonly trust: TrustAnswer;
  readonly at: string;
}) {
  const { name, verdict, trust, at } = props;
  const { genuine, meant } = answersOf(verdict);
  return (
    <>
      <Notice tone={TONES.genuine[genuine]} title={auditor.genuine[genuine].title}>
        <p>{auditor.genuine[genuine].says}</p>
      </Notice>
      {verdict.kind !== null && (
        <Notice tone={TONES.meant[meant]} title={auditor.meant[meant].title}>
          <p>{auditor.meant[meant].says}</p>
        </Notice>
      )}
      <section class="card">
        <Facts
          facts={[
            [auditor.file, <SafeText key="" text={name} limit={200} />],
            [
              auditor.kind,
              verdict.kind === null ? auditor.unreadable : auditor.kinds[verdict.kind],
            ],
            [auditor.trusted, <SafeText key="" text={trustWords.of(trust.keys, trust.issuer)} />],
            [auditor.verifiedAt, <Moment key="" at={at} as="none" />],
          ]}
        />
      </section>
      <Checks title={auditor.fails} checks={withStatus(verdict, 'fails')} />
    </>
  );
}

/** Open, deleted and uncovered parts, and last the checks that hold. */
export function Findings({ verdict }: { verdict: Verdict }) {
  const of = (status: Check['status']) => withStatus(verdict, status);
  return (
    <>
      <Checks
        title={auditor.open}
        checks={of('not checked').filter((check) => !isOffered(check))}
      />
      <Checks title={auditor.unknown} checks={of('cannot be known')} />
      <Remarks title={auditor.gone} remarks={verdict.gone} />
      <Remarks title={auditor.uncovered} lead={auditor.uncoveredLead} remarks={verdict.uncovered} />
      <Held checks={of('holds')} />
      <Checklist items={verdict.checklist} />
    </>
  );
}

function withStatus({ checks }: Verdict, status: Check['status']): Check[] {
  return checks.filter((check) => check.status === status);
}

function Checks({ title, checks }: { title: string; checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      <ul class="findings">
        {checks.slice(0, MOST).map(({ code, path, says, reason, status }) => (
          <li key={`${code} ${path}`} class={status === 'fails' ? 'failing' : undefined}>
            <SafeText text={says} limit={2_000} />
            <span class="fine beneath">
              <code>{reason ?? code}</code>
              {path !== '' && (
                <>
                  {' · '}
                  <SafeText text={path} limit={200} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      {checks.length > MOST && <p class="fine">{auditor.more(checks.length - MOST)}</p>}
    </section>
  );
}

function Remarks(props: { title: string; lead?: string; remarks: Verdict['gone'] }) {
  const { title, lead, remarks } = props;
  if (remarks.length === 0) return null;
  return (
    <section class="card">
      <h2>{title}</h2>
      {lead !== undefined && <p class="quiet-text">{lead}</p>}
      <ul class="findings">
        {remarks.slice(0, MOST).map(({ path, says }) => (
          <li key={`${path} ${says}`}>
            <SafeText text={says} limit={2_000} />
            {path !== '' && (
              <span class="fine beneath">
                <SafeText text={path} limit={200} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** One line for each kind of check, with how often it was made. */
function Held({ checks }: { checks: readonly Check[] }) {
  if (checks.length === 0) return null;
  const groups = new Map<string, number>();
  for (const { says } of checks) groups.set(says, (groups.get(says) ?? 0) + 1);
  return (
    <details class="card">
      <summary>
        <h2>{auditor.held(checks.length)}</h2>
      </summary>
      <ul class="findings">
        {[...groups].slice(0, MOST).map(([says, amount]) => (
          <li key={says}>
            <SafeText text={says} limit={2_000} />
            {amount > 1 && <span class="fine"> {auditor.times(amount)}</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Checklist({ items }: { items: Verdict['checklist'] }) {
  if (items.length === 0) return null;
  return (
    <details class="card">
      <summary>
        <h2>{auditor.checklist}</h2>
      </summary>
      <ol class="findings">
        {items.map(({ item, asks, status, says }) => (
          <li key={item}>
            <Chip tone={STATUS_TONES[status]}>{auditor.statuses[status]}</Chip> {asks}
            <span class="fine beneath">
              <SafeText text={says} limit={2_000} />
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}
