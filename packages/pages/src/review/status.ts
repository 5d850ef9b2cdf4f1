import type { RequestStatus } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Problem } from '../api/problem.js';

export interface LiveStatus {
  readonly status: RequestStatus | null;
  /** Why the newest state is not known; the last one that was read stays. */
  readonly fault: unknown;
  /** Asks at once. */
  readonly refresh: () => void;
}

/** The time until the next reading once it is decided, by the changes that can come; null when none can any more. */
export function nextLook(status: RequestStatus, looks: number): number | null {
  const { decision_state, audit_state, grant_state, execution_state } = status;
  if (decision_state !== 'confirmed') return null;
  // Neither is an event of the request, for which a call could be held.
  const soon = Math.min(10_000, 700 * 1.25 ** looks);
  if (audit_state === 'pending' || grant_state === 'pending_anchor') return soon;
  if (grant_state === 'available') return 3_000;
  if (execution_state === 'claimed' || execution_state === 'admitted') return 3_000;
  return execution_state === 'uncertain' ? 15_000 : null;
}

/** As long as the service holds a call until there is a newer revision (protocol §6.5). */
const HOLD_SECONDS = 25;
/** Between two calls, and after one that was not held. */
const REST_MS = 500;
const UNHELD_MS = 2_500;
const AFTER_FAULT_MS = 5_000;

/** The current state of a request, while the page is visible: a call is held until it is decided, then it is read again. */
export function useStatus(id: string): LiveStatus {
  const [known, setKnown] = useState<RequestStatus | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const refresh = useRef<() => void>(() => {});

  useEffect(() => {
    let call = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen = -1;
    let looks = 0;
    let pending = false;
    const look = async (hold: boolean) => {
      clearTimeout(timer);
      call.abort();
      call = new AbortController();
      const { signal } = call;
      const begun = performance.now();
      let wait: number | null = AFTER_FAULT_MS;
      try {
        const headers: Record<string, string> = hold
          ? { Prefer: `wait=${HOLD_SECONDS}; revision=${seen}` }
          : {};
        const status = await read<RequestStatus>(`/v2/requests/${id}`, { signal, headers });
        if (signal.aborted) return;
        const isNew = status.revision !== seen;
        const wasHeld = isNew || performance.now() - begun > UNHELD_MS;
        looks = isNew ? 0 : looks + 1;
        seen = status.revision;
        pending = status.decision_state === 'pending';
        setKnown(status);
        setFault(null);
        wait = nextLook(status, looks);
        if (pending) wait = wasHeld ? REST_MS : UNHELD_MS;
      } catch (problem) {
        if (signal.aborted) return;
        setFault(problem);
        if (problem instanceof Problem) {
          wait = problem.retryAfter !== null ? problem.retryAfter * 1_000 : AFTER_FAULT_MS;
          if ([401, 403, 404].includes(problem.status)) wait = null;
        }
      }
      if (wait !== null) timer = setTimeout(idleLook, wait);
    };
    const idleLook = () => {
      if (document.visibilityState === 'visible') void look(pending);
    };
    // A hidden page holds no connection; it catches up when it is shown.
    const onVisible = () => {
      if (document.visibilityState === 'visible') void look(false);
      else call.abort();
    };
    const wake = () => void look(false);
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener('online', wake);
    refresh.current = wake;
    void look(false);
    return () => {
      call.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener('online', wake);
    };
  }, [id]);

  return { status: known, fault, refresh: () => refresh.current() };
}
