import { Pieces } from '../text/SafeText.js';

/** One of a few views of the same thing. */
export function Switch<Value extends string>(props: {
  readonly label: string;
  readonly choices: readonly (readonly [value: Value, word: string])[];
  readonly chosen: Value;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <div class="switch no-print" role="group" aria-label={props.label}>
      {props.choices.map(([value, word]) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === props.chosen}
          onClick={() => props.onChoose(value)}
        >
          <Pieces text={word} />
        </button>
      ))}
    </div>
  );
}
