import { useEffect, useState } from 'preact/hooks';

import { Switch } from '../parts/Switch.js';
import { review } from '../strings/review.js';
import type { MaterialStore } from './material.js';
import { lazily } from '../parts/lazily.js';
import type { TableHead } from './tables.js';

// One of them is shown.
const { Component: PayloadView } = lazily(
  async () => (await import('./PayloadView.js')).PayloadView,
);
const { Component: TableView } = lazily(async () => (await import('./TableView.js')).TableView);

const TREE = 'tree';

/** The payload: each array of like objects as a table, and all of it as a tree. */
export function Payload({ store }: { store: MaterialStore }) {
  const [tables, setTables] = useState<readonly TableHead[] | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  useEffect(() => {
    setTables(null);
    setChosen(null);
    store.ask('tables', {}).then(
      ({ tables: found }) => setTables(found),
      () => setTables([]),
    );
  }, [store]);
  if (tables === null) return null;
  const view = chosen ?? (tables.length > 0 ? '0' : TREE);
  const head = tables[Number(view)];
  return (
    <>
      {tables.length > 0 && (
        <div class="payload-views">
          <Switch
            label={review.payloadViews}
            chosen={view}
            onChoose={setChosen}
            choices={[
              ...tables.map(({ path, rows }, at): [string, string] => [
                String(at),
                review.tableOf(path.at(-1) ?? review.payload, rows),
              ]),
              [TREE, review.allData],
            ]}
          />
        </div>
      )}
      {head ? (
        <TableView key={view} store={store} number={Number(view)} head={head} />
      ) : (
        <PayloadView store={store} />
      )}
    </>
  );
}
