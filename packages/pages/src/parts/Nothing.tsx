import type { ComponentChildren } from 'preact';

/** In place of an empty list: that it is empty, what would be in it, and where to go from here. */
export function Nothing(props: {
  readonly words: readonly [title: string, text: string];
  readonly children?: ComponentChildren;
}) {
  const [title, text] = props.words;
  return (
    <div class="card nothing">
      <h2>{title}</h2>
      <p class="quiet-text">{text}</p>
      {props.children}
    </div>
  );
}
