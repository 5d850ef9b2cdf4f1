import type { HistoryNeighbour, RequestHistory } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import type { ChangedLine, ChangedMember, Comparison, Part } from '../compare/compare.js';
import type { MaterialStore } from '../material/material.js';
import { Button } from '../parts/Button.js';
import { Notice } from '../parts/Notice.js';
import { changes as words } from '../strings/changes.js';
import { Pieces, SafeText } from '../text/SafeText.js';
import './changes.css';

/** The ways from a request to the one that replaced it, and to the one that it replaces, with what has changed since. */
export function Replacement(props: {
  readonly history: RequestHistory;
  readonly store: MaterialStore | null;
  /** The material is loaded: there is something to compare. */
  readonly loaded: boolean;
}) {
  const { history, store, loaded } = props;
  const { replaces, replaced_by } = history;
  return (
    <>
      {replaced_by && (
        <Notice tone="warning" title={words.replacedTitle}>
          <p>
            {words.replacedBy} <To of={replaced_by} />
          </p>
        </Notice>
      )}
      {replaces && (
        <Notice tone="info" title={words.replacesTitle}>
          <p>
            {words.replaces} <To of={replaces} />
          </p>
          {store && loaded && <Changes store={store} id={replaces.id} />}
        </Notice>
      )}
    </>
  );
}

function To({ of }: { of: HistoryNeighbour }) {
  return (
    <a href={`/review/${encodeURIComponent(of.id)}`}>
      <SafeText text={of.summary.slice(0, 300)} />
    </a>
  );
}

function Changes({ store, id }: { store: MaterialStore; id: string }) {
  const [open, setOpen] = useState(false);
  const [found, setFound] = useState<Comparison | 'gone' | null>(null);
  const show = () => {
    setOpen(!open);
    if (open || found !== null) return;
    store
      .ask('compare', { path: `/v2/requests/${encodeURIComponent(id)}/material` })
      .then(setFound, () => setFound('gone'));
  };
  return (
    <>
      <Button onClick={show}>{open ? words.hide : words.show}</Button>
      {open && (
        <div class="changes">
          {found === null ? (
            <p role="status">{words.comparing}</p>
          ) : found === 'gone' ? (
            <p role="status">{words.gone}</p>
          ) : (
            <>
              <h2>{words.document}</h2>
              <Lines part={found.document} />
              <h2>{words.payload}</h2>
              <Members part={found.payload} title={words.payload} />
              <h2>{words.schema}</h2>
              <Members part={found.schema} title={words.schema} />
            </>
          )}
        </div>
      )}
    </>
  );
}

function Lines({ part: { changes, more } }: { part: Part<ChangedLine> }) {
  if (changes.length === 0) return <p class="fine">{words.same}</p>;
  return (
    <>
      <div
        class="changed-lines"
        tabIndex={0}
        role="region"
        aria-label={words.changesOf(words.document)}
      >
        {changes.map((change, at) =>
          change.kind === 'gap' ? (
            <div key={at} class="changed-gap">
              {words.gap(change.count)}
            </div>
          ) : (
            <div key={at} class={`changed-line ${change.kind}`}>
              <span aria-hidden="true">{SIGNS[change.kind]}</span>
              <bdi>
                {change.kind === 'added' && <span class="unseen">{words.added} </span>}
                {change.kind === 'removed' && <span class="unseen">{words.removed} </span>}
                <Pieces text={change.text} />
              </bdi>
            </div>
          ),
        )}
      </div>
      {more && <p class="fine">{words.moreChanges}</p>}
    </>
  );
}

const SIGNS = { same: ' ', added: '+', removed: '−' } as const;

function Members({ part: { changes, more }, title }: { part: Part<ChangedMember>; title: string }) {
  if (changes.length === 0) return <p class="fine">{words.same}</p>;
  return (
    <>
      <div
        class="scroll changed-members"
        tabIndex={0}
        role="region"
        aria-label={words.changesOf(title)}
      >
        <table>
          <thead>
            <tr>
              <th scope="col">{words.member}</th>
              <th scope="col">{words.before}</th>
              <th scope="col">{words.after}</th>
            </tr>
          </thead>
          <tbody>
            {changes.map(({ path, before, after }) => (
              <tr key={path.join('\n')}>
                <th scope="row">
                  {path.length === 0 ? (
                    words.whole
                  ) : (
                    <bdi>
                      <Pieces text={path.map((name) => name.slice(0, 80)).join(' › ')} />
                    </bdi>
                  )}
                </th>
                <Value text={before} kind="removed" />
                <Value text={after} kind="added" />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more && <p class="fine">{words.moreChanges}</p>}
    </>
  );
}

function Value({ text, kind }: { text: string | null; kind: 'added' | 'removed' }) {
  if (text === null) return <td class="quiet-text">{words.none}</td>;
  return (
    <td class={kind}>
      <SafeText text={text} />
    </td>
  );
}
