import type { ComponentChildren } from 'preact';

export type Tone = 'neutral' | 'accent' | 'good' | 'warning' | 'bad';

/** A state in a word or two. The colour repeats the word and adds no information. */
export function Chip({ tone, children }: { tone: Tone; children: ComponentChildren }) {
  return <span class={`chip ${tone}`}>{children}</span>;
}
