import type { RequestHistory, RequestStatus, SignedRecord } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import { read } from '../api/client.js';
import { Problem } from '../api/problem.js';
import { readHistory } from '../history/history.js';

export interface LiveStatus {
  /** The state with its history; null until it was read. */
  readonly history: RequestHistory | null;
  /** Why the newest state is not known; the last one that was read stays. */
  readonly fault: unknown;
  /** Asks at once, or in `afterMs`. */
  readonly refresh: (afterMs?: number) => void;
}

/** The state that a confirmation leads to (protocol §4.1), until the page reads it. */
export function confirmedBy(status: RequestStatus, receipt: SignedRecord): RequestStatus {
  const authorises = (receipt.payload as { decision?: unknown }).decision === 'authorise';
  return {
    ...status,
    decision_state: 'confirmed',
    audit_state: 'pending',
    grant_state: authorises ? 'pending_anchor' : status.grant_state,
    receipt,
  };
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

/** What the page shows depends on these: the revision, and states that change without one, as by a deadline. */
const versionOf = (status: RequestStatus) =>
  [
    status.revision,
    status.decision_state,
    status.audit_state,
    status.grant_state,
    status.execution_state,
  ].join(' ');

/** As long as the service holds a call until there is a newer revision (protocol §6.5). */
const HOLD_SECONDS = 25;
/** After the first read: many requests are decided, or left again, sooner than a held call is worth. */
const FIRST_REST_MS = 5_000;
/** Between two calls, and after one that was not held. */
const REST_MS = 500;
const UNHELD_MS = 2_500;
const AFTER_FAULT_MS = 5_000;

/**
 * The current state of a request and its history, while the page is visible: a call is held until it is decided, then the
 * state is read again and again. The history is read with the state at first, and again when that is another one.
 */
export function useStatus(id: string): LiveStatus {
  const [history, setHistory] = useState<RequestHistory | null>(null);
  const [fault, setFault] = useState<unknown>(null);
  const refresh = useRef<(afterMs: number) => void>(() => {});

  useEffect(() => {
    let call = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let seen: RequestStatus | null = null;
    let looks = 0;
    const look = async (hold: boolean) => {
      clearTimeout(timer);
      call.abort();
      call = new AbortController();
      const { signal } = call;
      const begun = performance.now();
      let wait: number | null = AFTER_FAULT_MS;
      try {
        const before: RequestStatus | null = seen;
        const headers: Record<string, string> =
          before && hold ? { Prefer: `wait=${HOLD_SECONDS}; revision=${before.revision}` } : {};
        let now = before && (await read<RequestStatus>(`/v2/requests/${id}`, { signal, headers }));
        if (!now || !before || versionOf(now) !== versionOf(before)) {
          const found = await readHistory(id, signal);
          if (signal.aborted) return;
          now = found.status;
          setHistory(found);
        }
        if (signal.aborted) return;
        const isNew = now.revision !== before?.revision;
        const wasHeld = isNew || performance.now() - begun > UNHELD_MS;
        looks = isNew ? 0 : looks + 1;
        seen = now;
        setFault(null);
        wait = nextLook(now, looks);
        if (now.decision_state === 'pending') {
          wait = before === null ? FIRST_REST_MS : wasHeld ? REST_MS : UNHELD_MS;
        }
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
    const isVisible = () => document.visibilityState === 'visible';
    const idleLook = () => {
      if (isVisible()) void look(seen?.decision_state === 'pending');
    };
    // A hidden page holds no connection; it catches up when it is shown.
    const onVisible = () => {
      if (isVisible()) void look(false);
      else call.abort();
    };
    const wake = () => void look(false);
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener('online', wake);
    refresh.current = (afterMs) => {
      if (afterMs === 0) return wake();
      clearTimeout(timer);
      call.abort();
      timer = setTimeout(wake, afterMs);
    };
    void look(false);
    return () => {
      call.abort();
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener('online', wake);
    };
  }, [id]);

  return { history, fault, refresh: (afterMs = 0) => refresh.current(afterMs) };
}
