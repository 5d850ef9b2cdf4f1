import { useEffect, useRef, useState } from 'preact/hooks';

import { openMaterial } from '../material/material.js';
import type { MaterialStore } from '../material/material.js';
import type { MaterialHead } from '../material/messages.js';

export interface MaterialState {
  readonly store: MaterialStore | null;
  readonly head: MaterialHead | null;
  readonly fault: unknown;
  readonly reload: () => void;
}

/** The material of a request, loaded and checked apart from the page's thread. */
export function useMaterial(id: string): MaterialState {
  const [store, setStore] = useState<MaterialStore | null>(null);
  const [head, setHead] = useState<MaterialHead | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const load = useRef<() => void>(() => {});

  useEffect(() => {
    const opened = openMaterial();
    let gone = false;
    load.current = () => {
      opened.ask('load', { path: `/v2/requests/${id}/material` }).then(
        (loaded) => {
          if (gone) return;
          setFault(null);
          setHead(loaded);
        },
        (problem: unknown) => {
          if (!gone) setFault(problem);
        },
      );
    };
    setStore(opened);
    load.current();
    return () => {
      gone = true;
      opened.close();
    };
  }, [id]);

  return { store, head, fault, reload: () => load.current() };
}

/** Whether anything differs from the digests that the request binds. */
export function differs(head: MaterialHead): boolean {
  const { document, payload, requestDigest, schemaDigest } = head;
  return ![document.digest, payload.digest, requestDigest, schemaDigest].every(
    ({ matches }) => matches,
  );
}
