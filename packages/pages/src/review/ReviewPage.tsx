import { useEffect, useRef, useState } from 'preact/hooks';

import { Timeline } from '../history/Timeline.js';
import type { MaterialHead } from '../material/messages.js';
import { lazily } from '../parts/lazily.js';
import { Fault } from '../parts/Notice.js';
import { noteDone } from '../queue/queue.js';
import { reader } from '../session/session.js';
import { review } from '../strings/review.js';
import { About, Head } from './About.js';
import { DecisionPart } from './DecisionPart.js';
import { useMaterial } from './material-state.js';
import { QueueBar } from './QueueBar.js';
import { ReviewKeys, useTitle } from './review-keys.js';
import { MaterialPart } from './MaterialPart.js';
import { createProposalSlot } from './proposal-slot.js';
import type { ProposalSlot, SlotState } from './proposal-slot.js';
import { confirmedBy, useStatus } from './status.js';

// Parts that few requests have.
const { Component: AppPlace } = lazily(async () => (await import('./AppPlace.js')).AppPlace);
const { Component: Replacement } = lazily(
  async () => (await import('../history/Replacement.js')).Replacement,
);

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
    return (
      <p class="waiting" role="status">
        {review.loadingStatus}
      </p>
    );
  }
  // The end of a request is read before its material; a confirmation under way stays where it was pressed.
  const over = state.step === 'confirmed' || (!pending && state.step !== 'confirming');
  const read = (
    <div key="read" class="stack">
      {pending && head?.request.review.bundle && slot && <AppPlace material={head} slot={slot} />}
      <MaterialPart material={material} />
      <About status={status} history={history} />
      <Timeline history={history} />
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
      <Head status={status} history={history} />
      {(history.replaces ?? history.replaced_by) && (
        <Replacement history={history} store={material.store} loaded={head !== null} />
      )}
      <div class="columns">{over ? [decide, read] : [read, decide]}</div>
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
