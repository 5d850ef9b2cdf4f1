import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { Unanswered } from '../api/problem.js';
import { Fault } from './Notice.js';

/** A component whose code comes when it is first shown, or when `load` is called before. */
export function lazily<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): { readonly Component: ComponentType<Props>; readonly load: () => void } {
  let found: ComponentType<Props> | null = null;
  let coming: Promise<void> | null = null;
  const come = (): Promise<void> => {
    coming ??= load().then(
      (component) => void (found = component),
      (cause: unknown) => {
        coming = null;
        throw new Unanswered('a part of the page did not come', { cause });
      },
    );
    return coming;
  };
  function Lazy(props: Props) {
    const [, setTurn] = useState(0);
    const [fault, setFault] = useState<unknown>(null);
    const again = () => {
      setFault(null);
      come().then(() => setTurn((turn) => turn + 1), setFault);
    };
    const missed = found === null;
    useEffect(() => {
      // Also when it has come since: nothing else would show it.
      if (missed) again();
    }, []);
    if (found !== null) {
      const Component = found;
      return <Component {...props} />;
    }
    return fault === null ? null : <Fault fault={fault} retry={again} />;
  }
  return { Component: Lazy, load: () => void come().catch(() => {}) };
}
