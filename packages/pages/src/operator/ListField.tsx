import { useId, useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { operator } from '../strings/operator.js';
import { SafeText } from '../text/SafeText.js';
import { plainText } from '../text/plain-text.js';

export const IDENTIFIER = /^[a-zA-Z0-9_.:@/-]{1,160}$/;

export interface Choice {
  readonly id: string;
  /** A name or remark beside the id. */
  readonly note?: string;
}

/** A list of identifiers: add by typing or choosing, remove one by one. Unknown identifiers are allowed and marked. */
export function ListField(props: {
  readonly label: string;
  readonly hint?: string;
  readonly values: readonly string[];
  readonly choices: readonly Choice[];
  readonly onChange: (values: readonly string[]) => void;
}) {
  const { label, hint, values, choices, onChange } = props;
  const id = useId();
  const [text, setText] = useState('');
  const [fault, setFault] = useState(false);
  const known = new Map(choices.map((choice) => [choice.id, choice]));
  const add = () => {
    const value = text.trim();
    if (value === '') return;
    setFault(!IDENTIFIER.test(value));
    if (!IDENTIFIER.test(value)) return;
    if (!values.includes(value)) onChange([...values, value]);
    setText('');
  };
  return (
    <fieldset class={fault ? 'field faulty' : 'field'}>
      <legend>{label}</legend>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {values.length === 0 ? (
        <p class="quiet-text">{operator.none}</p>
      ) : (
        <ul class="tokens">
          {values.map((value) => {
            const choice = known.get(value);
            return (
              <li key={value}>
                <span>
                  {choice?.note && (
                    <>
                      <SafeText text={choice.note} limit={80} />{' '}
                    </>
                  )}
                  <span class={choice?.note ? 'fine' : undefined}>
                    <SafeText text={value} />
                  </span>
                  {!choice && <span class="fine warn"> {operator.unknownOne}</span>}
                </span>
                <button
                  type="button"
                  class="link-button"
                  aria-label={operator.remove(value)}
                  onClick={() => onChange(values.filter((each) => each !== value))}
                >
                  ✕
                </button>
              </li>
            );
          })}
        </ul>
      )}
      <div class="row adding">
        <input
          value={text}
          list={`${id}-list`}
          autoComplete="off"
          aria-label={`${operator.add}: ${label}`}
          aria-describedby={fault ? `${id}-fault` : hint && `${id}-hint`}
          aria-invalid={fault}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            event.preventDefault();
            add();
          }}
        />
        <datalist id={`${id}-list`}>
          {choices
            .filter((choice) => !values.includes(choice.id))
            .map((choice) => (
              <option key={choice.id} value={choice.id}>
                {plainText(choice.note ?? '', 80)}
              </option>
            ))}
        </datalist>
        <Button onClick={add}>{operator.add}</Button>
      </div>
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {operator.identifierFault}
        </p>
      )}
    </fieldset>
  );
}

/** A box to tick with its explanation. */
export function Tick(props: {
  readonly label: string;
  readonly hint?: string;
  readonly checked: boolean;
  readonly disabled?: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  const id = useId();
  return (
    <div class="tick">
      <input
        id={id}
        type="checkbox"
        checked={props.checked}
        disabled={props.disabled}
        aria-describedby={props.hint && `${id}-hint`}
        onChange={({ currentTarget }) => props.onChange(currentTarget.checked)}
      />
      <div>
        <label for={id}>{props.label}</label>
        {props.hint !== undefined && (
          <p class="hint" id={`${id}-hint`}>
            {props.hint}
          </p>
        )}
      </div>
    </div>
  );
}
