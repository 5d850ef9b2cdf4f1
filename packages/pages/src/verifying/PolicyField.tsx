import { Field } from '../parts/Field.js';
import { trustWords } from '../strings/trust.js';

/** Public tools keep a policy in some lines. */
const LONGEST_POLICY = 100_000;

/** The text of a reader's witness policy. */
export function PolicyField(props: {
  readonly value: string;
  readonly onChange: (policy: string) => void;
}) {
  const { value, onChange } = props;
  return (
    <Field label={trustWords.policy} hint={trustWords.policyHint}>
      {({ id, describedBy }) => (
        <textarea
          id={id}
          aria-describedby={describedBy}
          class="mono"
          spellcheck={false}
          rows={4}
          maxLength={LONGEST_POLICY}
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </Field>
  );
}
