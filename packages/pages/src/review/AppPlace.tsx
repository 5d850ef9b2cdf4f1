import { useEffect, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { mountApp } from '../app-host/index.js';
import type { AppFailure, MountedApp } from '../app-host/index.js';
import type { MaterialHead } from '../material/messages.js';
import { Button } from '../parts/Button.js';
import { Notice } from '../parts/Notice.js';
import { app } from '../strings/app.js';
import { SafeText } from '../text/SafeText.js';
import './app.css';
import type { ProposalSlot } from './proposal-slot.js';

/** The app beside the material; the page can do everything without it. */
export function AppPlace(props: {
  readonly material: MaterialHead;
  readonly slot: ProposalSlot;
  /** It has the whole width of the page. */
  readonly full: boolean;
  readonly onFull: (full: boolean) => void;
}) {
  const { material, slot, full, onFull } = props;
  const place = useRef<HTMLDivElement>(null);
  const mounted = useRef<MountedApp | null>(null);
  const [state, setState] = useState<'loading' | 'ready' | 'failed'>('loading');
  const [failure, setFailure] = useState<AppFailure>('not_loaded');
  const [another, setAnother] = useState(false);
  const bundle = material.request.review.bundle;

  useEffect(() => {
    let gone = false;
    const fail = (why: AppFailure) => {
      slot.withdraw('app');
      if (gone) return;
      setFailure(why);
      setState('failed');
    };
    const open = async () => {
      const container = place.current;
      const snapshot = await read(`/v2/requests/${material.request.id}/app`);
      if (gone || !container || !bundle) return;
      mounted.current = mountApp(container, {
        title: app.titleOf(bundle.publisher),
        snapshot,
        material: { request: material.request, request_digest: material.requestDigest.promised },
        onProposal: (proposal) =>
          slot.propose(proposal, {
            kind: 'app',
            publisher: bundle.publisher,
            bundle: bundle.id,
            digest: bundle.digest,
          }),
        onFailure: fail,
        onReady: () => {
          if (!gone) setState('ready');
        },
      });
    };
    open().catch(() => fail('not_loaded'));
    // After a dismissal the app gets another try only when the reader says so (protocol §12.6).
    let last = slot.state();
    const leave = slot.subscribe((next) => {
      const dismissed = last.step === 'reviewing' && last.frozen.source.kind === 'app';
      if (dismissed && next.step === 'free') setAnother(true);
      last = next;
    });
    return () => {
      gone = true;
      leave();
      void mounted.current?.close();
    };
  }, []);

  return (
    <section class="card app-card no-print" aria-labelledby="app">
      <div class="row apart">
        <h2 id="app">{app.title}</h2>
        {state !== 'failed' && (
          <Button look="quiet" onClick={() => onFull(!full)}>
            {full ? app.notFull : app.full}
          </Button>
        )}
      </div>
      <p class="fine">
        <SafeText text={app.lead(bundle?.publisher ?? '')} />
      </p>
      {state === 'loading' && <p role="status">{app.loading}</p>}
      {state === 'failed' && (
        <Notice tone="info">
          <p>
            {app.failures[failure]} {app.failed}
          </p>
        </Notice>
      )}
      <div ref={place} class="app-place" hidden={state === 'failed'} />
      {another && state === 'ready' && (
        <Button
          onClick={(event) => {
            if (!event.isTrusted || !navigator.userActivation.isActive) return;
            mounted.current?.allowAnother();
            setAnother(false);
          }}
        >
          {app.another}
        </Button>
      )}
    </section>
  );
}
