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

/** The time until the next reading, by the changes that can come; null when none can any more. */
export function nextLook(status: RequestStatus, looks: number): number | null {
  const { decision_state, audit_state, grant_state, execution_state } = status;
  if (decision_state === 'pending') return 2_500;
  if (decision_state !== 'confirmed') return null;
  const soon = Math.min(10_000, 700 * 1.25 ** looks);
  if (audit_state === 'pending' || grant_state === 'pending_anchor') return soon;
  if (grant_state === 'available') return 3_000;
  if (execution_state === 'claimed' || execution_state === 'admitted') return 3_000;
  return execution_state === 'uncertain' ? 15_000 : null;
}

const AFTER_FAULT_MS = 5_000;

/** The current state of a request: read again while it can change and the page is visible. */
export function useStatus(id: string): LiveStatus {
  const [known, setKnown] = useState<RequestStatus | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const refresh = useRef<() => void>(() => {});

  useEffect(() => {
    const gone = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let looks = 0;
    let seen = -1;
    const look = async () => {
      clearTimeout(timer);
      let wait: number | null = AFTER_FAULT_MS;
      try {
        const status = await read<RequestStatus>(`/v2/requests/${id}`, { signal: gone.signal });
        looks = status.revision === seen ? looks + 1 : 0;
        seen = status.revision;
        setKnown(status);
        setFault(null);
        wait = nextLook(status, looks);
      } catch (problem) {
        if (gone.signal.aborted) return;
        setFault(problem);
        if (problem instanceof Problem) {
          wait = problem.retryAfter !== null ? problem.retryAfter * 1_000 : AFTER_FAULT_MS;
          if ([401, 403, 404].includes(problem.status)) wait = null;
        }
      }
      if (wait !== null) timer = setTimeout(() => void idleLook(), wait);
    };
    // A hidden page is not refreshed; it catches up when it is shown.
    const idleLook = async () => {
      if (document.visibilityState === 'visible') await look();
    };
    const wake = () => void idleLook();
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('online', wake);
    refresh.current = () => void look();
    void look();
    return () => {
      gone.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('online', wake);
    };
  }, [id]);

  return { status: known, fault, refresh: () => refresh.current() };
}
