import type { ComponentChildren } from 'preact';

export type Fact = readonly [term: string, value: ComponentChildren];

/** Terms and their values. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
