import { useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { Chip } from '../parts/Chip.js';
import { Dialog } from '../parts/Dialog.js';
import { Digest } from '../parts/Digest.js';
import { Facts } from '../parts/Facts.js';
import { Field } from '../parts/Field.js';
import { sealTexts } from '../strings/seal.js';
import { trustWords } from '../strings/trust.js';
import { SafeText } from '../text/SafeText.js';
import type { EvidenceAnswer } from '../verifying/messages.js';
import { PolicyField } from '../verifying/PolicyField.js';
import type { KeptTrust } from './kept-trust.js';
import type { SealState } from './use-seal.js';
import type { SealLook } from './words.js';

export interface SealPanelProps {
  readonly state: SealState;
  readonly look: SealLook;
  readonly kept: KeptTrust;
  readonly onAgain: () => void;
  readonly onKeep: (trust: KeptTrust) => void;
  readonly onClose: () => void;
}

/** What was checked, in the order of the command's verdict, and the ways to a stronger check. */
export function SealPanel({ state, look, kept, onAgain, onKeep, onClose }: SealPanelProps) {
  const checked = state.kind === 'judged' ? state.checked : null;
  return (
    <Dialog title={sealTexts.title} onClose={onClose}>
      <div class="seal-panel">
        <h3>{sealTexts.verdict}</h3>
        <p>
          <Chip tone={look.tone}>{look.word}</Chip> <SafeText text={look.says} limit={2_000} />
        </p>
        {checked && <Found checked={checked} />}
        <p class="row">
          <Button onClick={onAgain}>
            {state.kind === 'large' ? sealTexts.now : sealTexts.again}
          </Button>
          {checked && <span class="fine">{sealTexts.checks(checked.checks)}</span>}
        </p>
        <h3>{sealTexts.more}</h3>
        <p>{sealTexts.selfMade}</p>
        <OwnTrust kept={kept} onKeep={onKeep} />
      </div>
    </Dialog>
  );
}

/** Judgements for which the page was compared and shows the same as the evidence. */
const SAME: readonly EvidenceAnswer['judgement']['kind'][] = [
  'verified',
  'alone',
  'open',
  'unanchored',
];

function Found({ checked }: { checked: EvidenceAnswer }) {
  const { judgement, sections, gone, trust } = checked;
  return (
    <>
      {SAME.includes(judgement.kind) && <p>{sealTexts.same}</p>}
      <p class="fine">{sealTexts.covers}</p>
      {sections.map(({ title, lines }) => (
        <Lines key={title} title={sealTexts.sections[title] ?? title} lines={lines} />
      ))}
      <Lines title={sealTexts.gone} lines={gone} />
      <Facts
        facts={[
          [sealTexts.keys, <SafeText key="" text={trustWords.of(trust.keys, trust.issuer)} />],
          [
            sealTexts.fingerprint,
            <>
              <span class="seal-words">{trust.words}</span> <Digest value={trust.fingerprint} />
            </>,
          ],
        ]}
      />
    </>
  );
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null;
  return (
    <>
      <h3>{title}</h3>
      <ul>
        {lines.map((line) => (
          <li key={line}>
            <SafeText text={line} limit={2_000} />
          </li>
        ))}
      </ul>
    </>
  );
}

function OwnTrust({ kept, onKeep }: Pick<SealPanelProps, 'kept' | 'onKeep'>) {
  const [fingerprint, setFingerprint] = useState(kept.fingerprint);
  const [policy, setPolicy] = useState(kept.policy);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onKeep({ fingerprint: fingerprint.trim(), policy: policy.trim() });
      }}
    >
      <h3>{sealTexts.own}</h3>
      <p class="fine">{sealTexts.ownHint}</p>
      <Field label={sealTexts.typed} hint={sealTexts.typedHint}>
        {({ id, describedBy }) => (
          <input
            id={id}
            aria-describedby={describedBy}
            autoComplete="off"
            spellcheck={false}
            maxLength={400}
            value={fingerprint}
            onInput={({ currentTarget }) => setFingerprint(currentTarget.value)}
          />
        )}
      </Field>
      <PolicyField value={policy} onChange={setPolicy} />
      <Button type="submit">{sealTexts.keep}</Button>
    </form>
  );
}
