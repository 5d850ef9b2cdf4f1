import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

import { shared } from '../strings/shared.js';

export interface FieldProps {
  readonly label: ComponentChildren;
  /** Words of other people about it, apart from those of the page. */
  readonly quoted?: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly fault?: ComponentChildren;
  /** A further choice about the same field, below its fault. */
  readonly after?: ComponentChildren;
  readonly required?: boolean;
  /** Gets the ids that tie the control to its label, hint and fault. */
  readonly children: (ids: FieldIds) => ComponentChildren;
}

export interface FieldIds {
  readonly id: string;
  readonly describedBy: string | undefined;
  readonly invalid: boolean;
}

/** A labelled control with its hint and its fault, tied together for those who listen. */
export function Field({
  label,
  quoted,
  hint,
  fault,
  after,
  required = false,
  children,
}: FieldProps) {
  const id = useId();
  const has = (part: ComponentChildren) => part !== undefined && part !== null && part !== false;
  const described = [
    has(quoted) && `${id}-quoted`,
    has(hint) && `${id}-hint`,
    has(fault) && `${id}-fault`,
  ].filter(Boolean);
  return (
    <div class={has(fault) ? 'field faulty' : 'field'}>
      <label for={id}>
        {label}
        {required && <span class="required"> {shared.required}</span>}
      </label>
      {has(quoted) && <div id={`${id}-quoted`}>{quoted}</div>}
      {has(hint) && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({ id, describedBy: described.join(' ') || undefined, invalid: has(fault) })}
      {has(fault) && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
      {after}
    </div>
  );
}
