import type { AdminPage, CustodyHold } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Button } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { Nothing } from '../parts/Nothing.js';
import { Waiting } from '../parts/Waiting.js';
import { custody } from '../strings/custody.js';
import { operator } from '../strings/operator.js';
import { shared } from '../strings/shared.js';
import { Hold } from './Hold.js';
import { SetHold } from './SetHold.js';

const DATA = '/custody/data/holds';

/** The legal holds of the tenant, for its custodians (protocol §20). */
export function Custody() {
  const [holds, setHolds] = useState<readonly CustodyHold[] | null>(null);
  const [next, setNext] = useState<string | null>(null);
  const [says, setSays] = useState<string | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const load = async (after: string | null) => {
    setFault(null);
    try {
      const page = await read<AdminPage<CustodyHold>>(
        after === null ? DATA : `${DATA}?after=${after}`,
      );
      setHolds((known) => (after === null ? page.items : [...(known ?? []), ...page.items]));
      setNext(page.next);
    } catch (failed) {
      setFault(failed);
    }
  };
  useEffect(() => void load(null), []);
  // A new hold has a new id.
  const [turn, setTurn] = useState(0);
  const done = (words: string) => {
    setSays(words);
    setTurn((last) => last + 1);
    void load(null);
  };
  return (
    <>
      <header class="row apart page-head">
        <h1>{custody.title}</h1>
      </header>
      <p class="lead">{custody.lead}</p>
      {says !== null && (
        <Notice tone="good">
          <p>{says}</p>
        </Notice>
      )}
      {fault !== null && <Fault fault={fault} retry={() => void load(null)} />}
      {holds === null && fault === null && <Waiting says={shared.loading} lines={12} />}
      {holds !== null && (
        <>
          {holds.length === 0 && <Nothing words={custody.none} />}
          {inOrder(holds).map((hold) => (
            <Hold key={`${hold.id} ${hold.revision} ${hold.in_force}`} hold={hold} done={done} />
          ))}
          {next !== null && (
            <p class="more">
              <Button onClick={() => void load(next)}>{operator.loadMore}</Button>
            </p>
          )}
          <SetHold key={turn} hold={null} done={done} />
        </>
      )}
    </>
  );
}

/** Those in force first, the one that ends first before the others. */
function inOrder(holds: readonly CustodyHold[]): readonly CustodyHold[] {
  return [...holds].sort(
    (a, b) => Number(b.in_force) - Number(a.in_force) || Date.parse(a.until) - Date.parse(b.until),
  );
}
