import { useEffect, useRef, useState } from 'preact/hooks';

import type { MaterialHead } from '../material/messages.js';
import { lazily } from '../parts/lazily.js';
import { Near } from '../parts/Near.js';
import { Fault } from '../parts/Notice.js';
import { Waiting } from '../parts/Waiting.js';
import { noteDone } from '../queue/queue.js';
import { reader } from '../session/session.js';
import { review } from '../strings/review.js';
import { DecisionPart } from './DecisionPart.js';
import { Head } from './Head.js';
import { useMaterial } from './material-state.js';
import { QueueBar } from './QueueBar.js';
import { ReviewKeys, useTitle } from './review-keys.js';
import { MaterialPart } from './MaterialPart.js';
import { createProposalSlot } from './proposal-slot.js';
import type { ProposalSlot, SlotState } from './proposal-slot.js';
import { confirmedBy, useStatus } from './status.js';
import { Layouts, Workspace, usePlace } from './Workspace.js';

// Parts that few requests have.
const { Component: AppPlace } = lazily(async () => (await import('./AppPlace.js')).AppPlace);
const { Component: Replacement } = lazily(
  async () => (await import('../history/Replacement.js')).Replacement,
);

// Below what is decided on.
const { Component: Background } = lazily(async () => (await import('./Background.js')).Background);

/** The anchor takes about as long; many readers are with the next request by then. */
const AFTER_CONFIRMING_MS = 1_500;

/** One request: the question, all its material, and the way from an answer to a signature. */
export function ReviewPage({ id }: { id: string }) {
  const live = useStatus(id);
  const material = useMaterial(id);
  const [overtaken, setOvertaken] = useState(false);
  const { slot, state } = useSlot(id, material.head, (problem) => {
    setOvertaken(problem.code === 'candidate_changed');
    live.refresh();
    material.reload();
  });

  const place = usePlace();
  const { head } = material;
  const { history } = live;
  const known = history?.status;
  // The answer to a confirmation says as much as a call for the state would.
  const status =
    known && state.step === 'confirmed' && known.receipt === null
      ? confirmedBy(known, state.receipt)
      : known;
  const pending = status?.decision_state === 'pending';
  const candidate = head?.candidate ?? null;
  useEffect(() => {
    if (slot && pending && candidate) void slot.restore(candidate, { kind: 'earlier' });
  }, [slot, candidate]);
  useEffect(() => {
    if (state.step === 'preparing') setOvertaken(false);
    if (state.step === 'confirmed') {
      noteDone(id);
      live.refresh(AFTER_CONFIRMING_MS);
    }
  }, [state.step]);

  useTitle(status?.request.summary);
  const wasPending = useRef(false);
  useEffect(() => {
    // Decided elsewhere: the signed answer, which this page may not know, is in the material of now.
    const here = state.step === 'confirming' || state.step === 'confirmed';
    if (wasPending.current && known?.decision_state === 'confirmed' && !here) {
      material.reload();
    }
    wasPending.current = pending;
  }, [known?.decision_state]);

  if (!history || !status) {
    if (live.fault !== null) return <Fault fault={live.fault} retry={() => live.refresh()} />;
    return <Waiting says={review.loadingStatus} lines={34} />;
  }
  // The end of a request is read before its material; a confirmation under way stays where it was pressed.
  const over = state.step === 'confirmed' || (!pending && state.step !== 'confirming');
  const app = pending && head?.request.review.bundle && slot && (
    <AppPlace
      key="app"
      material={head}
      slot={slot}
      full={place.full}
      onFull={(full) => place.change({ full })}
    />
  );
  const read = (
    <div key="read" class="stack read-part">
      <MaterialPart material={material} />
      <Near stands="about-card">
        <Background status={status} history={history} />
      </Near>
    </div>
  );
  const decide = (
    <div key="decide" class="stack side">
      <DecisionPart
        live={live}
        status={status}
        material={material}
        slot={slot}
        state={state}
        overtaken={overtaken}
        history={history}
      />
    </div>
  );
  return (
    <>
      <QueueBar id={id} />
      <ReviewKeys id={id} decided={over} />
      <div class="workspace-head">
        <Head status={status} history={history} />
        {head !== null && <Layouts place={place} hasApp={Boolean(app)} />}
      </div>
      {(history.replaces ?? history.replaced_by) && (
        <Replacement history={history} store={material.store} loaded={head !== null} />
      )}
      <Workspace
        place={place}
        app={app || null}
        // Only while an answer is given: a frozen one is read beside the material.
        mayBeFull={state.step === 'free' || state.step === 'preparing'}
        hasMaterial={head !== null}
      >
        {over ? [decide, read] : [read, decide]}
      </Workspace>
    </>
  );
}

const NO_SLOT: SlotState = { step: 'free', fault: null, refused: null };

/** The page's one proposal slot, from when the material is there. */
function useSlot(
  id: string,
  head: MaterialHead | null,
  onOvertaken: Parameters<typeof createProposalSlot>[0]['onOvertaken'],
): { slot: ProposalSlot | null; state: SlotState } {
  const [slot, setSlot] = useState<ProposalSlot | null>(null);
  const [state, setState] = useState<SlotState>(NO_SLOT);
  const overtaken = useRef(onOvertaken);
  overtaken.current = onOvertaken;
  const requestDigest = head?.requestDigest.promised;

  useEffect(() => {
    const who = reader();
    if (requestDigest === undefined || !who) return;
    const made = createProposalSlot({
      requestId: id,
      requestDigest,
      reviewer: who.subject,
      onOvertaken: (problem) => overtaken.current(problem),
    });
    const leave = made.subscribe(setState);
    setSlot(made);
    return () => {
      leave();
      made.close();
    };
  }, [id, requestDigest]);

  return { slot, state };
}
