import { useId, useState } from 'preact/hooks';

import { trustWords } from '../strings/trust.js';
import { SafeText } from '../text/SafeText.js';

/** The manifest that the reader chose: the text of a file, or null for the service's own. */
export interface ChosenTrust {
  readonly name: string;
  readonly text: string;
}

/** A manifest is a few kilobytes; a much larger file is none. */
const MOST_BYTES = 2_000_000;

/** The choice of trusted keys: the service's own manifest, with a warning, or a file of the reader's. */
export function TrustChoice(props: {
  readonly chosen: ChosenTrust | null;
  readonly disabled?: boolean;
  readonly onChange: (chosen: ChosenTrust | null) => void;
}) {
  const { chosen, disabled = false, onChange } = props;
  const id = useId();
  const [fault, setFault] = useState('');
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    setFault('');
    if (file.size > MOST_BYTES) setFault(trustWords.tooLarge);
    else onChange({ name: file.name, text: await file.text() });
  };
  return (
    <fieldset class="trust">
      <legend>{trustWords.title}</legend>
      <div class="tick">
        <input
          id={`${id}-own`}
          type="radio"
          name={id}
          checked={chosen === null}
          disabled={disabled}
          aria-describedby={`${id}-hint`}
          onChange={() => onChange(null)}
        />
        <div>
          <label for={`${id}-own`}>{trustWords.own}</label>
          <p class="hint" id={`${id}-hint`}>
            {trustWords.ownHint}
          </p>
        </div>
      </div>
      <div class="row adding">
        <label class="button" for={`${id}-file`}>
          {trustWords.file}
        </label>
        <input
          id={`${id}-file`}
          class="unseen"
          type="file"
          accept=".json,application/json"
          disabled={disabled}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        {chosen && (
          <span>
            <SafeText text={chosen.name} limit={120} />
          </span>
        )}
      </div>
      {fault !== '' && <p class="fault">{fault}</p>}
    </fieldset>
  );
}
