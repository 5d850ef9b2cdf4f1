import { useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { operator } from '../strings/operator.js';

/**
 * A secret on its way in. It is in this field and nowhere else: not in the preview of a change, and gone with the page or
 * when it is saved.
 */
export function SecretField(props: {
  readonly label: string;
  readonly hint: string;
  readonly value: string;
  readonly make: () => string;
  readonly makeLabel: string;
  readonly onChange: (value: string) => void;
}) {
  const { label, hint, value, make, makeLabel, onChange } = props;
  const [open, setOpen] = useState(false);
  return (
    <Field label={label} hint={hint}>
      {({ id, describedBy }) => (
        <>
          <div class="row adding">
            <input
              id={id}
              {...(open ? { type: 'text' as const } : { type: 'password' as const })}
              value={value}
              autoComplete="off"
              spellcheck={false}
              aria-describedby={describedBy}
              onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
            />
            <Button
              onClick={() => {
                onChange(make());
                setOpen(true);
              }}
            >
              {makeLabel}
            </Button>
            {value !== '' && (
              <Button look="quiet" onClick={() => setOpen(!open)}>
                {open ? operator.hide : operator.show}
              </Button>
            )}
          </div>
          {value !== '' && <p class="hint">{operator.tokenOnce}</p>}
        </>
      )}
    </Field>
  );
}
