import type { RoutePolicy } from '@countersign/protocol';

import { Button } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { approvalDesk as words } from '../strings/approval-desk.js';

type Stages = RoutePolicy['quorum']['stages'];
type Stage = Stages[number];

const MOST_STAGES = 5;
const MOST_SEATS = 8;
const MOST_PEOPLE = 10;

/** The stages of a policy in their order, each with so many people of its groups. */
export function StagesField(props: {
  readonly stages: Stages;
  readonly onChange: (stages: Stage[]) => void;
}) {
  const { stages, onChange } = props;
  const put = (at: number, stage: Stage) =>
    onChange(stages.map((each, place) => (place === at ? stage : each)));
  return (
    <fieldset>
      <legend>{words.stages}</legend>
      <p class="hint">{words.stagesHint}</p>
      {stages.map((stage, at) => (
        <StageField
          // A stage has no identity but its place.
          key={at}
          at={at + 1}
          stage={stage}
          onChange={(changed) => put(at, changed)}
          onRemove={
            stages.length > 1 ? () => onChange(stages.filter((_, place) => place !== at)) : null
          }
        />
      ))}
      {stages.length < MOST_STAGES && (
        <Button
          onClick={() =>
            onChange([
              ...stages,
              { name: `stage-${stages.length + 1}`, seats: [{ group: '', count: 1 }] },
            ])
          }
        >
          {words.addStage}
        </Button>
      )}
    </fieldset>
  );
}

function StageField(props: {
  readonly at: number;
  readonly stage: Stage;
  readonly onChange: (stage: Stage) => void;
  readonly onRemove: (() => void) | null;
}) {
  const { at, stage, onChange, onRemove } = props;
  const { seats } = stage;
  const put = (place: number, change: Partial<Stage['seats'][number]>) =>
    onChange({
      ...stage,
      seats: seats.map((seat, each) => (each === place ? { ...seat, ...change } : seat)),
    });
  return (
    <fieldset class="stage">
      <legend>{words.stage(at)}</legend>
      <Field label={words.stageName(at)}>
        {({ id }) => (
          <input
            id={id}
            value={stage.name}
            autoComplete="off"
            onInput={({ currentTarget }) => onChange({ ...stage, name: currentTarget.value })}
          />
        )}
      </Field>
      {seats.map(({ group, count }, place) => (
        <div key={place} class="row seat-row">
          <input
            value={group}
            placeholder={words.group}
            aria-label={words.groupOf(at, place + 1)}
            autoComplete="off"
            onInput={({ currentTarget }) => put(place, { group: currentTarget.value })}
          />
          <input
            type="number"
            min={1}
            max={MOST_PEOPLE}
            value={Number.isFinite(count) ? String(count) : ''}
            aria-label={words.countOf(at, place + 1)}
            onInput={({ currentTarget }) => put(place, { count: currentTarget.valueAsNumber })}
          />
          {seats.length > 1 && (
            <button
              type="button"
              class="link-button"
              aria-label={words.removeSeat(at, place + 1)}
              onClick={() =>
                onChange({ ...stage, seats: seats.filter((_, each) => each !== place) })
              }
            >
              ✕
            </button>
          )}
        </div>
      ))}
      <div class="row">
        {seats.length < MOST_SEATS && (
          <Button
            look="quiet"
            onClick={() => onChange({ ...stage, seats: [...seats, { group: '', count: 1 }] })}
          >
            {words.addSeat(at)}
          </Button>
        )}
        {onRemove !== null && (
          <Button look="quiet" onClick={onRemove}>
            {words.removeStage(at)}
          </Button>
        )}
      </div>
    </fieldset>
  );
}
