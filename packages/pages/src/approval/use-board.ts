import type { ApprovalBoard } from '@countersign/protocol';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';

export interface LiveBoard {
  readonly board: ApprovalBoard | null;
  readonly fault: unknown;
  readonly refresh: () => void;
}

/** The votes of a request (protocol §18.11), read again with every revision of it: a vote is one. */
export function useBoard(id: string, revision: number): LiveBoard {
  const [board, setBoard] = useState<ApprovalBoard | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const latest = useRef(0);
  const refresh = useCallback(() => {
    const turn = ++latest.current;
    read<ApprovalBoard>(`/v2/requests/${encodeURIComponent(id)}/approvals`).then(
      (found) => {
        if (turn !== latest.current) return;
        setFault(null);
        setBoard(found);
      },
      (failed: unknown) => turn === latest.current && setFault(failed),
    );
  }, [id]);
  useEffect(() => {
    refresh();
    return () => void (latest.current += 1);
  }, [refresh, revision]);
  return { board, fault, refresh };
}
