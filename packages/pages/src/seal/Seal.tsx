import type { RequestStatus } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { lazily } from '../parts/lazily.js';
import { reader } from '../session/session.js';
import { SafeText } from '../text/SafeText.js';
import { keepTrust, keptTrust } from './kept-trust.js';
import './seal.css';
import { useSeal } from './use-seal.js';
import { lookOf } from './words.js';

const { Component: SealPanel } = lazily(async () => (await import('./SealPanel.js')).SealPanel);

/** The result of verifying a request's evidence in this browser, and the way to what was checked. */
export function Seal({ status }: { status: RequestStatus }) {
  const subject = reader()?.subject ?? '';
  const [kept, setKept] = useState(() => keptTrust(subject));
  const [open, setOpen] = useState(false);
  const { state, again } = useSeal(status, kept);
  const look = lookOf(state, kept);
  const role = look.tone === 'bad' ? 'alert' : 'status';
  return (
    <div class={`seal ${look.tone} no-print`}>
      <button
        type="button"
        class="seal-button"
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <span class="seal-sign" aria-hidden="true">
          {look.sign}
        </span>
        {look.word}
      </button>
      <p key={role} class="seal-says" role={role}>
        <SafeText text={look.says} limit={600} />
      </p>
      {open && (
        <SealPanel
          state={state}
          look={look}
          kept={kept}
          onAgain={again}
          onKeep={(trust) => {
            keepTrust(subject, trust);
            setKept(trust);
            again();
          }}
          onClose={() => setOpen(false)}
        />
      )}
    </div>
  );
}
