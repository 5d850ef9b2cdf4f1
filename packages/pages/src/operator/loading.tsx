import type { ComponentChildren } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import type { AdminPage } from '@countersign/protocol';

import { Button } from '../parts/Button.js';
import { Fault } from '../parts/Notice.js';
import { Waiting } from '../parts/Waiting.js';
import { operator } from '../strings/operator.js';
import { shared } from '../strings/shared.js';
import { readAdmin } from './data.js';
import type { Query } from './data.js';

export interface Loading<Value> {
  readonly value: Value | null;
  readonly fault: unknown;
  readonly reload: () => void;
}

/** Loads once, and again on demand; the earlier value stays while it loads again. */
export function useLoading<Value>(load: () => Promise<Value>, by = ''): Loading<Value> {
  const [value, setValue] = useState<Value | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const latest = useRef(0);
  const reload = useCallback(() => {
    const turn = ++latest.current;
    setFault(null);
    load().then(
      (loaded) => turn === latest.current && setValue(loaded),
      (failed: unknown) => turn === latest.current && setFault(failed),
    );
    // The result depends on `by` alone.
  }, [by]);
  useEffect(() => {
    reload();
    return () => void (latest.current += 1);
  }, [reload]);
  return { value, fault, reload };
}

/** Loading, refused, or the loaded value. */
export function Loaded<Value>(props: {
  readonly of: Loading<Value>;
  readonly children: (value: Value) => ComponentChildren;
}) {
  const { value, fault, reload } = props.of;
  return (
    <>
      {fault !== null && <Fault fault={fault} retry={reload} />}
      {value === null
        ? fault === null && <Waiting says={shared.loading} lines={12} />
        : props.children(value)}
    </>
  );
}

/** A list that loads more on demand. */
export function Pages<Item>(props: {
  readonly list: string;
  readonly query?: Query;
  /** A search text. */
  readonly words?: string;
  readonly empty: ComponentChildren;
  readonly children: (items: readonly Item[]) => ComponentChildren;
}) {
  const { list, query = {}, words = '' } = props;
  const by = `${list} ${JSON.stringify(query)} ${words}`;
  const [more, setMore] = useState<{ by: string; pages: AdminPage<Item>[] }>({ by, pages: [] });
  const [fault, setFault] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const first = useLoading(() => readAdmin<Item>(list, query, words), by);
  const pages = more.by === by ? more.pages : [];
  const goOn = async (after: string) => {
    setBusy(true);
    setFault(null);
    try {
      const page = await readAdmin<Item>(list, { ...query, after }, words);
      setMore({ by, pages: [...pages, page] });
    } catch (failed) {
      setFault(failed);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Loaded of={first}>
      {(page) => {
        const items = [page, ...pages].flatMap((each) => each.items);
        const next = (pages.at(-1) ?? page).next;
        // A search looks at a part at a time: none of it may match, and a later part may.
        if (items.length === 0 && next === null) return props.empty;
        return (
          <>
            {props.children(items)}
            {fault !== null && <Fault fault={fault} />}
            {next !== null && (
              <p class="more">
                <Button busy={busy} onClick={() => void goOn(next)}>
                  {operator.loadMore}
                </Button>
              </p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
