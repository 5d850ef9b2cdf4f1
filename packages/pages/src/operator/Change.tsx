import type { AdminAffected, AdminPreview } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { send } from '../api/client.js';
import { Unanswered } from '../api/problem.js';
import { Button } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { Table } from '../parts/Table.js';
import { operator } from '../strings/operator.js';
import { decisionWords, executionWords, grantWords } from '../strings/states.js';
import { SafeText } from '../text/SafeText.js';
import { previewOf } from './data.js';
import type { Difference } from './differences.js';
import { requestAddress } from './Requests.js';

export interface ChangeProps {
  readonly kind: 'route' | 'principal';
  readonly id: string;
  /** The configuration to save, without secrets: a preview needs none. */
  readonly looked: object;
  /** The body to save; asked for at the last moment, so that secrets are in one place only. */
  readonly body: () => object;
  readonly differences: readonly Difference[];
  /** Shows the form's own faults; false when there are any. */
  readonly ready: () => boolean;
  /** Whether the service still has the entry that the form began with. */
  readonly current: () => Promise<boolean>;
  readonly saved: (result: unknown) => void;
}

/**
 * The end of every form that changes the directory: nothing can be saved before its effects were shown, and when more would
 * be lost by then, they are shown again (docs/decisions/0016).
 */
export function Change(props: ChangeProps) {
  const { kind, id, looked, body, differences, ready, current, saved } = props;
  const by = JSON.stringify([id, looked]);
  const [seen, setSeen] = useState<{ by: string; preview: AdminPreview; again: boolean } | null>(
    null,
  );
  const [busy, setBusy] = useState<'look' | 'save' | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const [moved, setMoved] = useState(false);
  const shown = seen?.by === by ? seen : null;
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), [seen]);

  const during = async (what: 'look' | 'save', work: () => Promise<void>) => {
    setBusy(what);
    setFault(null);
    setMoved(false);
    try {
      await work();
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(null);
    }
  };
  const look = () =>
    during('look', async () =>
      setSeen({ by, preview: await previewOf(kind, id, looked), again: false }),
    );
  const save = (before: AdminPreview) =>
    during('save', async () => {
      if (!(await current())) {
        setMoved(true);
        return;
      }
      const preview = await previewOf(kind, id, looked);
      if (losses(preview) > losses(before)) {
        setSeen({ by, preview, again: true });
        return;
      }
      saved(await send('PUT', `/v2/admin/${kind}s/${encodeURIComponent(id)}`, body()));
    });

  return (
    <>
      {moved && (
        <Notice tone="warning" title={operator.staleTitle}>
          <p>{operator.changedMeanwhile}</p>
          <Button onClick={() => location.reload()}>{operator.loadAgain}</Button>
        </Notice>
      )}
      {fault instanceof Unanswered && busy === null && shown ? (
        <Notice tone="warning">
          <p>{operator.maybeDone}</p>
        </Notice>
      ) : (
        fault !== null && <Fault fault={fault} />
      )}
      {shown === null ? (
        <Button
          look="primary"
          busy={busy === 'look'}
          onClick={() => {
            if (ready()) void look();
          }}
        >
          {busy === 'look' ? operator.looking : operator.look}
        </Button>
      ) : (
        <section class="card preview" ref={panel} tabIndex={-1} aria-label={operator.previewTitle}>
          <h2>{operator.previewTitle}</h2>
          {shown.again && (
            <Notice tone="warning" title={operator.staleTitle}>
              <p>{operator.stale2}</p>
            </Notice>
          )}
          <Preview preview={shown.preview} differences={differences} />
          <div class="row no-print">
            <Button
              look={losses(shown.preview) > 0 ? 'danger' : 'primary'}
              busy={busy === 'save'}
              onClick={() => void save(shown.preview)}
            >
              {losses(shown.preview) > 0 ? operator.saveAnyway : operator.save}
            </Button>
            <Button look="quiet" onClick={() => setSeen(null)}>
              {operator.keepEditing}
            </Button>
          </div>
        </section>
      )}
    </>
  );
}

function losses({ affected, dropped }: AdminPreview): number {
  return affected.count + dropped.candidates + dropped.assignments;
}

function Preview(props: { preview: AdminPreview; differences: readonly Difference[] }) {
  const { preview, differences } = props;
  const { affected, dropped, creates, revision, barred = [] } = preview;
  const under = affected.items.filter(({ execution }) =>
    ['claimed', 'admitted'].includes(execution),
  );
  const lost = losses(preview) > 0;
  return (
    <>
      {!lost && <p>{creates ? operator.creates : operator.harmless}</p>}
      {lost && (
        <Notice tone="warning" title={operator.affectedTitle(affected.count)}>
          <ul class="concerns">
            {affected.cancelled > 0 && <li>{operator.ends(affected.cancelled)}</li>}
            {affected.revoked > 0 && <li>{operator.revokes(affected.revoked)}</li>}
            {under.length > 0 && <li>{operator.bars(under.length)}</li>}
            {dropped.candidates + dropped.assignments > 0 && (
              <li>{operator.drops(dropped.candidates, dropped.assignments)}</li>
            )}
          </ul>
          <p>{operator.moment}</p>
        </Notice>
      )}
      {barred.length > 0 && (
        <Notice tone="warning" title={operator.barredTitle}>
          <p>{operator.barred}</p>
          <ul class="concerns">
            {barred.map((route) => (
              <li key={route}>
                <SafeText text={route} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {revision !== null && !creates && (
        <p>
          {revision.before === revision.after
            ? operator.revisionStays(revision.after)
            : operator.revisionMoves(revision.before, revision.after)}
        </p>
      )}
      {differences.length === 0 ? (
        <p>{operator.unchanged}</p>
      ) : (
        <>
          <h3>{operator.difference}</h3>
          <Table
            caption={operator.difference}
            keyOf={({ member }) => member}
            rows={differences}
            columns={[
              { title: operator.member, cell: ({ member }) => <code>{member}</code> },
              { title: operator.from, cell: ({ from }) => <Value text={from} /> },
              { title: operator.to, cell: ({ to }) => <Value text={to} /> },
            ]}
          />
        </>
      )}
      {affected.items.length > 0 && <Affected affected={affected} />}
    </>
  );
}

function Value({ text }: { text: string | null }) {
  return text === null || text === '' ? <>–</> : <SafeText text={text} limit={400} />;
}

function Affected({ affected: { items, count } }: { affected: AdminPreview['affected'] }) {
  return (
    <>
      <h3>{operator.affectedTitle(count)}</h3>
      {items.length < count && <p class="fine">{operator.firstOf(items.length, count)}</p>}
      <Table
        caption={operator.affectedTitle(count)}
        keyOf={({ id }) => id}
        rows={items}
        columns={[
          {
            title: operator.request,
            cell: ({ id, summary }) => (
              <a href={requestAddress(id)} target="_blank" rel="noreferrer">
                <SafeText text={summary} limit={120} />
              </a>
            ),
          },
          { title: operator.effect, cell: becoming },
          {
            title: operator.because,
            cell: ({ reason }) => operator.reasons[reason] ?? reason,
          },
        ]}
      />
    </>
  );
}

function becoming({ decision, grant, execution }: AdminAffected) {
  const steps: string[] = [];
  if (decision.before !== decision.after) {
    steps.push(
      operator.becomes(decisionWords[decision.before].word, decisionWords[decision.after].word),
    );
  }
  if (grant.before !== grant.after) {
    steps.push(operator.becomes(grantWords[grant.before].word, grantWords[grant.after].word));
  }
  if (steps.length === 0) steps.push(executionWords[execution].word);
  return steps.join(', ');
}
