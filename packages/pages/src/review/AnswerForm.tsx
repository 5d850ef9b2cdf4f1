import type { DecisionRequest } from '@countersign/protocol';
import type { RefObject } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';

import type { Draft } from '../form/draft.js';
import { answerOf, emptyDraft } from '../form/draft.js';
import { FormView } from '../form/FormView.js';
import { formOf } from '../form/model.js';
import type { MaterialStore } from '../material/material.js';
import type { Hint } from '../material/messages.js';
import { Button } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { form as formWords } from '../strings/form.js';
import { review } from '../strings/review.js';
import { decisionNames } from '../strings/states.js';
import { Pieces } from '../text/SafeText.js';
import { keepDraft, takeDraft } from './draft-store.js';
import type { Proposal, ProposalSlot, SlotState } from './proposal-slot.js';

type Decision = Proposal['decision'];

const DECISIONS: Readonly<Record<DecisionRequest['purpose'], readonly Decision[]>> = {
  review: ['answer', 'approve', 'reject'],
  // Refusing comes first and is chosen beforehand (protocol §12.6).
  authorise_execution: ['refuse', 'authorise'],
};
const HINT_AFTER_MS = 300;

export interface AnswerFormProps {
  readonly request: DecisionRequest;
  readonly schema: unknown;
  readonly store: MaterialStore;
  readonly slot: ProposalSlot;
  readonly state: SlotState;
  readonly subject: string;
  /** The replaced request whose questions are the same, if there is one: a draft for it is taken up. */
  readonly earlier: string | null;
  /** A decision that the person has asked to give by a press of its own. */
  readonly chosen?: Decision;
}

/** The native form: a decision, the fields of the response schema, and a button that freezes both. */
export function AnswerForm(props: AnswerFormProps) {
  const { request, schema, store, slot, state, subject, earlier, chosen } = props;
  const node = useMemo(() => formOf(schema), [schema]);
  const { kept, carried } = useMemo(() => {
    const own = takeDraft(subject, request.id);
    const before = own || earlier === null ? null : takeDraft(subject, earlier);
    // Fields are taken up, the decision is not: it is about another request (protocol §12.6).
    return { kept: own ?? (before && { ...before, decision: null }), carried: before !== null };
  }, [subject, request.id, earlier]);
  const [decision, setDecision] = useState<string | null>(
    chosen ?? kept?.decision ?? (request.purpose === 'authorise_execution' ? 'refuse' : null),
  );
  const [draft, setDraft] = useState<Draft>(kept?.form ?? emptyDraft(node));
  const [json, setJson] = useState<string | null>(
    kept?.json ?? (node.kind === 'json' ? node.start : null),
  );
  const [tried, setTried] = useState(false);
  const [hints, setHints] = useState<readonly Hint[]>([]);
  const touched = useRef(false);
  const form = useRef<HTMLFormElement>(null);
  // Grows with each freezing that faults prevent.
  const [prevented, setPrevented] = useState(0);

  const { response, faults } = useMemo(
    () => answerOf(json === null ? node : { kind: 'json', start: 'null' }, json ?? draft),
    [node, draft, json],
  );

  useEffect(() => {
    if (!touched.current) return;
    keepDraft(subject, request.id, { decision, form: draft, json });
  }, [decision, draft, json]);

  useEffect(() => {
    if (faults.length > 0) {
      setHints([]);
      return;
    }
    // What the page itself filled in needs no hint.
    if (!touched.current && kept === null) return;
    const timer = setTimeout(() => {
      store.ask('check', { response }).then(
        (answer) => setHints(answer.hints),
        () => setHints([]),
      );
    }, HINT_AFTER_MS);
    return () => clearTimeout(timer);
  }, [response, faults, store]);

  const change = <Value,>(set: (value: Value) => void) => {
    return (value: Value) => {
      touched.current = true;
      set(value);
    };
  };
  const faultAt = (place: string): string | undefined => {
    const fault = faults.find((one) => one.place === place);
    // Missing fields are shown only when the person is done.
    if (fault && (tried || fault.code !== 'missing')) return formWords.faults[fault.code];
    return fault ? undefined : hints.find((hint) => hint.place === place)?.text;
  };
  const shownAt = new Set(fieldPlaces(node, draft));
  const elsewhere = hints.filter((hint) => json !== null || !shownAt.has(hint.place));

  const propose = () => {
    setTried(true);
    if (decision === null || faults.length > 0) {
      setPrevented(prevented + 1);
      return;
    }
    void slot.propose({ response, decision: decision as Decision } as Proposal, { kind: 'form' });
  };
  const busy = state.step === 'preparing';
  useEffect(() => {
    if (prevented === 0) return;
    const [first] = faultyFields(form.current);
    first?.control?.focus();
    first?.control?.scrollIntoView({ block: 'center' });
  }, [prevented]);

  return (
    <form
      class="answer"
      ref={form}
      // Enter in a field sends nothing: freezing is a press of its button.
      onSubmit={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || busy) return;
        event.preventDefault();
        propose();
      }}
    >
      {kept && <p class="fine">{carried ? review.draftCarried : review.draftTaken}</p>}
      <fieldset class={tried && decision === null ? 'decisions faulty' : 'decisions'}>
        <legend>{review.decision}</legend>
        {DECISIONS[request.purpose].map((name) => (
          <label key={name} class={`option decision-option ${decisionNames[name]?.tone ?? ''}`}>
            <input
              type="radio"
              name="decision"
              value={name}
              checked={decision === name}
              onChange={() => change(setDecision)(name)}
            />
            <span>
              <strong>{decisionNames[name]?.word}</strong>
              <br />
              <span class="quiet-text">{review.decisionHints[name]}</span>
            </span>
          </label>
        ))}
        {tried && decision === null && <p class="fault">{review.chooseFirst}</p>}
      </fieldset>
      <div class="questions">
        <p class="fine">
          <Pieces text={review.questionsBy(request.producer)} />
        </p>
        {json !== null ? (
          <JsonEditor text={json} onChange={change(setJson)} fault={faultAt('')} />
        ) : node.kind === 'object' && node.fields.length === 0 ? (
          <p>{review.nothingToFill}</p>
        ) : (
          <FormView
            node={node}
            draft={draft}
            onChange={change(setDraft)}
            faults={faultAt}
            title={review.panelResponse}
            author={request.producer}
          />
        )}
        {elsewhere.length > 0 && (
          <ul class="fault">
            {elsewhere.map(({ place, text }) => (
              <li key={place + text}>
                {place !== '' && (
                  <code>
                    <Pieces text={place.slice(0, 200)} />
                  </code>
                )}{' '}
                <Pieces text={text.slice(0, 400)} />
              </li>
            ))}
          </ul>
        )}
        {node.kind !== 'json' && (
          <Button
            look="quiet"
            onClick={() =>
              change(setJson)(json === null ? JSON.stringify(response, null, 2) : null)
            }
          >
            {json === null ? review.asJson : review.asForm}
          </Button>
        )}
      </div>
      <Refusal state={state} />
      {tried && (decision === null || faults.length > 0) && (
        <Faults key={prevented} form={form} what={`${decision} ${faults.length}`} />
      )}
      <Button look="primary" busy={busy} onClick={propose}>
        {busy ? review.preparing : review.propose}
      </Button>
      <p class="fine below">
        {review.proposeHint} {review.draftKept}
      </p>
    </form>
  );
}

interface Faulty {
  readonly name: string;
  readonly control: HTMLElement | null;
}

/** The fields with a fault, in the order in which they are on the page. */
function faultyFields(form: HTMLElement | null): Faulty[] {
  return [...(form?.querySelectorAll<HTMLElement>('.faulty') ?? [])].map((field) => ({
    name: field.querySelector('label, legend, .label')?.textContent?.trim() ?? '',
    control: field.querySelector<HTMLElement>('input, select, textarea, button'),
  }));
}

/** All faults at the button that they prevent, each with the way to its field. */
function Faults({ form, what }: { form: RefObject<HTMLElement | null>; what: string }) {
  const [fields, setFields] = useState<readonly Faulty[]>([]);
  useEffect(() => setFields(faultyFields(form.current)), [what]);
  if (fields.length === 0) return null;
  return (
    <div class="faults" role="alert">
      <p class="fault">{review.faultsTitle(fields.length)}</p>
      <ul>
        {fields.slice(0, 20).map(({ name, control }, place) => (
          <li key={place}>
            <button type="button" class="link-button" onClick={() => control?.focus()}>
              <Pieces text={name.slice(0, 120)} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Refusal({ state }: { state: SlotState }) {
  if (state.step !== 'free' || state.refused === null) return null;
  if (state.refused.reason === 'mismatch') {
    return (
      <Notice tone="bad">
        <p>{review.mismatch}</p>
      </Notice>
    );
  }
  if (state.refused.reason === 'unanswered') {
    return (
      <Notice tone="warning">
        <p>{review.unansweredProposal}</p>
      </Notice>
    );
  }
  return <Fault fault={state.fault} />;
}

function JsonEditor(props: {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly fault: string | undefined;
}) {
  return (
    <div class={props.fault === undefined ? 'field' : 'field faulty'}>
      <label for="response-json">{review.jsonLabel}</label>
      <p class="hint" id="response-json-hint">
        {review.jsonHint}
      </p>
      <textarea
        id="response-json"
        class="mono"
        rows={10}
        spellcheck={false}
        aria-describedby="response-json-hint"
        aria-invalid={props.fault !== undefined}
        value={props.text}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
      {props.fault !== undefined && <p class="fault">{props.fault}</p>}
    </div>
  );
}

/** The places whose faults the form shows by itself. */
function fieldPlaces(node: ReturnType<typeof formOf>, draft: Draft, place = ''): string[] {
  const parts = Array.isArray(draft) ? (draft as readonly Draft[]) : [];
  const own = place === '' && node.kind === 'object' ? [] : [place];
  if (node.kind === 'object') {
    return own.concat(
      node.fields.flatMap((field, at) =>
        fieldPlaces(
          field.node,
          parts[at] ?? null,
          `${place}/${field.name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        ),
      ),
    );
  }
  if (node.kind === 'list') {
    return own.concat(parts.flatMap((part, at) => fieldPlaces(node.item, part, `${place}/${at}`)));
  }
  return own;
}
