import type { ComponentChildren } from 'preact';
import { createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';

import { Button } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { form as words } from '../strings/form.js';
import { shared } from '../strings/shared.js';
import { plainText } from '../text/plain-text.js';
import { SafeText } from '../text/SafeText.js';
import type { Draft } from './draft.js';
import { EMPTY_ON_PURPOSE, emptyDraft, escaped, isVariant, lengthOf, mayBeEmpty } from './draft.js';
import type { FormField, FormNode } from './model.js';

/** The fault at a place of the answer, in words. */
export type FaultsAt = (place: string) => string | undefined;

interface PartProps {
  readonly node: FormNode;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  /** JSON pointer of this part in the answer. */
  readonly place: string;
  readonly faults: FaultsAt;
  readonly required: boolean;
  /** The producer's words about it. */
  readonly title: string;
  readonly description: string;
}

/** Id of the producer whose words the form shows. */
const Author = createContext('');

const FEW = 5;
/** Characters of choices that fit beside each other in the column of the form. */
const SHORT = { each: 16, all: 32 } as const;
const TITLE = 200;
const DESCRIPTION = 600;

/** The form of a response schema. Titles and descriptions are the producer's words, and shown as such. */
export function FormView(props: FormViewProps & { readonly author: string }) {
  return (
    <Author.Provider value={props.author}>
      <Form {...props} />
    </Author.Provider>
  );
}

interface FormViewProps {
  readonly node: FormNode;
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly faults: FaultsAt;
  readonly title: string;
}

function Form(props: FormViewProps) {
  const { node, draft, onChange, faults, title } = props;
  if (node.kind === 'object') {
    return (
      <Members fields={node.fields} draft={draft} onChange={onChange} place="" faults={faults} />
    );
  }
  return (
    <Part
      node={node}
      draft={draft}
      onChange={onChange}
      place=""
      faults={faults}
      required
      title={title}
      description=""
    />
  );
}

function Members(props: {
  readonly fields: readonly FormField[];
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly place: string;
  readonly faults: FaultsAt;
}) {
  const drafts = Array.isArray(props.draft) ? (props.draft as readonly Draft[]) : [];
  return (
    <>
      {props.fields.map(({ name, title, description, required, node }, at) => (
        <Part
          key={name}
          node={node}
          draft={drafts[at] ?? null}
          onChange={(next) =>
            props.onChange(
              props.fields.map((_field, other) => (other === at ? next : (drafts[other] ?? null))),
            )
          }
          place={`${props.place}/${escaped(name)}`}
          faults={props.faults}
          required={required}
          title={title}
          description={description}
        />
      ))}
    </>
  );
}

function Part(props: PartProps) {
  const { node } = props;
  switch (node.kind) {
    case 'boolean':
      return (
        <Choice
          {...props}
          options={[words.yes, words.no]}
          chosen={chosenOf(props.draft)}
          onChoose={(at) => props.onChange(at === null ? null : at === 0)}
        />
      );
    case 'choice':
      return (
        <Choice
          {...props}
          options={node.options.map(wordOf)}
          chosen={typeof props.draft === 'number' ? props.draft : null}
          onChoose={props.onChange}
        />
      );
    case 'object':
      return <ObjectPart {...props} node={node} />;
    case 'list':
      return <ListPart {...props} node={node} />;
    case 'variants':
      return <VariantPart {...props} node={node} />;
    default:
      return <TextPart {...props} node={node} />;
  }
}

function chosenOf(draft: Draft): number | null {
  return typeof draft === 'boolean' ? (draft ? 0 : 1) : null;
}

function TextPart(
  props: PartProps & { readonly node: Extract<FormNode, { kind: 'string' | 'number' | 'json' }> },
) {
  const { node, draft, onChange, place, faults, required } = props;
  const value = typeof draft === 'string' ? draft : '';
  const area = node.kind === 'json' || (node.kind === 'string' && node.long);
  const fault = faults(place);
  const emptied = draft === EMPTY_ON_PURPOSE;
  // Offered only where it is needed, so that a form is not full of boxes.
  const offersEmpty = required && mayBeEmpty(node) && (emptied || fault !== undefined);
  return (
    <Field
      label={<SafeText text={props.title} limit={TITLE} />}
      quoted={quotedOf(props.description)}
      hint={hintOf(node, value)}
      fault={fault}
      after={
        offersEmpty && (
          <div>
            <label class="option">
              <input
                type="checkbox"
                checked={emptied}
                onChange={({ currentTarget: { checked } }) =>
                  onChange(checked ? EMPTY_ON_PURPOSE : null)
                }
              />
              <span>{words.emptyOnPurpose}</span>
            </label>
          </div>
        )
      }
      required={required}
    >
      {({ id, describedBy, invalid }) =>
        area ? (
          <textarea
            id={id}
            class={node.kind === 'json' ? 'mono' : undefined}
            rows={4}
            spellcheck={node.kind !== 'json'}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        ) : (
          <input
            id={id}
            type="text"
            inputMode={node.kind === 'number' ? 'decimal' : 'text'}
            autocomplete="off"
            aria-describedby={describedBy}
            aria-invalid={invalid}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )
      }
    </Field>
  );
}

/** What the schema allows here, and how much of it is used. */
function hintOf(node: FormNode, value: string): string | false {
  if (node.kind === 'string' && node.maxLength !== null) {
    return words.characters(node.maxLength, lengthOf(value));
  }
  return node.kind === 'number' && words.range(node.least, node.most);
}

/** The producer's words about a part: a quotation with its author, so that it never reads as a word of the page. */
function Quoted({ text }: { text: string }) {
  return (
    <div class="quoted">
      <span class="quoted-by">
        <SafeText text={useContext(Author)} />:
      </span>
      <SafeText text={text} limit={DESCRIPTION} />
    </div>
  );
}

function quotedOf(text: string) {
  return text !== '' && <Quoted text={text} />;
}

function Choice(
  props: PartProps & {
    readonly options: readonly string[];
    readonly chosen: number | null;
    readonly onChoose: (at: number | null) => void;
  },
) {
  const { options, chosen, onChoose, required, place, faults } = props;
  const name = useId();
  if (options.length > FEW) {
    return (
      <Field
        label={<SafeText text={props.title} limit={TITLE} />}
        quoted={quotedOf(props.description)}
        fault={faults(place)}
        required={required}
      >
        {({ id, describedBy, invalid }) => (
          <select
            id={id}
            aria-describedby={describedBy}
            aria-invalid={invalid}
            value={chosen === null ? '' : String(chosen)}
            onChange={({ currentTarget: { value } }) =>
              onChoose(value === '' ? null : Number(value))
            }
          >
            <option value="">{words.none}</option>
            {options.map((option, at) => (
              <option key={at} value={String(at)}>
                {plainText(option, TITLE)}
              </option>
            ))}
          </select>
        )}
      </Field>
    );
  }
  const fault = faults(place);
  const short = areShort(required ? options : [...options, words.notAnswered]);
  return (
    <fieldset
      class={fault === undefined ? 'field' : 'field faulty'}
      aria-describedby={`${name}-about`}
    >
      <legend>
        <SafeText text={props.title} limit={TITLE} />
        {required && <span class="required"> {shared.required}</span>}
      </legend>
      <div id={`${name}-about`}>
        {quotedOf(props.description)}
        {fault !== undefined && <p class="fault">{fault}</p>}
      </div>
      <div class={short ? 'segments' : undefined}>
        {options.map((option, at) => (
          <label key={at} class="option">
            <input type="radio" name={name} checked={chosen === at} onChange={() => onChoose(at)} />
            <span>
              <SafeText text={option} limit={TITLE} />
            </span>
          </label>
        ))}
        {!required && (
          <label class="option">
            <input
              type="radio"
              name={name}
              checked={chosen === null}
              onChange={() => onChoose(null)}
            />
            <span class="quiet-text">{words.notAnswered}</span>
          </label>
        )}
      </div>
    </fieldset>
  );
}

function areShort(all: readonly string[]): boolean {
  const lengths = all.map((option) => plainText(option, TITLE).length);
  const sum = lengths.reduce((total, length) => total + length, 0);
  return Math.max(...lengths) <= SHORT.each && sum <= SHORT.all;
}

function wordOf(option: unknown): string {
  return typeof option === 'string' ? option : JSON.stringify(option);
}

function Group(props: PartProps & { readonly children: ComponentChildren }) {
  const fault = props.faults(props.place);
  return (
    <fieldset class="group">
      <legend>
        <SafeText text={props.title} limit={TITLE} />
        {props.required && <span class="required"> {shared.required}</span>}
      </legend>
      {quotedOf(props.description)}
      {fault !== undefined && <p class="fault">{fault}</p>}
      {props.children}
    </fieldset>
  );
}

function ObjectPart(props: PartProps & { readonly node: Extract<FormNode, { kind: 'object' }> }) {
  const { node, draft, onChange, place, faults, required } = props;
  return (
    <Group {...props}>
      {draft === null ? (
        <Button onClick={() => onChange(emptyDraft(node))}>{words.addPart}</Button>
      ) : (
        <>
          <Members
            fields={node.fields}
            draft={draft}
            onChange={onChange}
            place={place}
            faults={faults}
          />
          {!required && (
            <Button look="quiet" onClick={() => onChange(null)}>
              {words.removePart}
            </Button>
          )}
        </>
      )}
    </Group>
  );
}

function ListPart(props: PartProps & { readonly node: Extract<FormNode, { kind: 'list' }> }) {
  const { node, onChange, place, faults } = props;
  const items = Array.isArray(props.draft) ? (props.draft as readonly Draft[]) : [];
  if (node.ticks && node.item.kind === 'choice') {
    return (
      <Group {...props}>
        {node.item.options.map((option, at) => (
          <label key={at} class="option">
            <input
              type="checkbox"
              checked={items.includes(at)}
              onChange={({ currentTarget: { checked } }) => {
                const rest = items.filter((one) => one !== at);
                const next = checked ? [...rest, at].sort((a, b) => Number(a) - Number(b)) : rest;
                onChange(next.length === 0 && !props.required ? null : next);
              }}
            />
            <SafeText text={wordOf(option)} limit={TITLE} />
          </label>
        ))}
      </Group>
    );
  }
  return (
    <Group {...props}>
      {items.map((item, at) => (
        <div key={at} class="list-entry">
          <Part
            node={node.item}
            draft={item}
            onChange={(next) => onChange(items.map((one, other) => (other === at ? next : one)))}
            place={`${place}/${at}`}
            faults={faults}
            required
            title={words.entry(at + 1)}
            description=""
          />
          <Button
            look="quiet"
            onClick={() => {
              const rest = items.filter((_one, other) => other !== at);
              onChange(rest.length === 0 && !props.required ? null : rest);
            }}
          >
            {words.remove}
          </Button>
        </div>
      ))}
      {items.length < node.max && (
        <Button onClick={() => onChange([...items, emptyDraft(node.item)])}>{words.add}</Button>
      )}
    </Group>
  );
}

function VariantPart(
  props: PartProps & { readonly node: Extract<FormNode, { kind: 'variants' }> },
) {
  const { node, draft, onChange, place, faults } = props;
  const chosen = isVariant(draft) ? draft : null;
  const variant = chosen && node.variants[chosen.variant];
  return (
    <Group {...props}>
      <Choice
        {...props}
        title={words.which}
        description=""
        faults={() => undefined}
        options={node.variants.map(({ title }) => title)}
        chosen={chosen?.variant ?? null}
        onChoose={(at) => {
          const next = at === null ? undefined : node.variants[at];
          onChange(next && at !== null ? { variant: at, value: emptyDraft(next.node) } : null);
        }}
      />
      {variant && chosen && (
        <Part
          node={variant.node}
          draft={chosen.value}
          onChange={(value) => onChange({ variant: chosen.variant, value })}
          place={place}
          faults={faults}
          required
          title={variant.title}
          description=""
        />
      )}
    </Group>
  );
}
