import type { RoutePolicy } from '@countersign/protocol';
import { useState } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { approvalDesk as words } from '../strings/approval-desk.js';

/** Takes a whole policy as text, so that a second operator need not type a proposal again. */
export function PastedPolicy({ take }: { take: (policy: RoutePolicy) => void }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState(false);
  const read = () => {
    const policy = policyIn(text);
    setFault(policy === null);
    if (policy === null) return;
    take(policy);
    setText('');
  };
  return (
    <details>
      <summary>{words.pasted}</summary>
      <Field label={words.pasted} hint={words.pastedHint} fault={fault && words.pastedFault}>
        {({ id, describedBy, invalid }) => (
          <textarea
            id={id}
            class="mono"
            rows={6}
            spellcheck={false}
            value={text}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </Field>
      <Button onClick={read}>{words.takeOver}</Button>
    </details>
  );
}

/** A policy of which the form can show every part; the service checks the rest. */
function policyIn(text: string): RoutePolicy | null {
  try {
    const { quorum } = JSON.parse(text) as RoutePolicy;
    const isShown =
      quorum.stages.every(({ name, seats }) => typeof name === 'string' && Array.isArray(seats)) &&
      typeof quorum.rejection.count === 'number' &&
      typeof quorum.exclude.operators === 'boolean';
    return isShown ? (JSON.parse(text) as RoutePolicy) : null;
  } catch {
    return null;
  }
}
