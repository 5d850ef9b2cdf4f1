import type { InboxPage } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { readChanged } from '../api/client.js';
import { notices as texts } from '../strings/notices.js';

/** Browsers call hidden pages no more often than once a minute. */
const EVERY_MS = 60_000;
const NEWEST = '/inbox/data?tab=waiting&sort=newest&limit=1';
/** One notice at a time, however many inboxes are open. */
const TAG = 'countersign-inbox';

const keyOf = (subject: string) => `countersign.notices.${encodeURIComponent(subject)}`;

/** `blocked`: asked for, but the browser does not allow it. */
export type Notices = 'off' | 'on' | 'blocked';

/** Null where the browser has none. */
function noticesOf(subject: string): Notices | null {
  if (!('Notification' in window)) return null;
  if (localStorage.getItem(keyOf(subject)) !== 'on') return 'off';
  return Notification.permission === 'granted' ? 'on' : 'blocked';
}

/** Whether this browser notifies the reader, and the way to change it: only that asks for the browser's permission. */
export function useNoticeChoice(subject: string): [Notices | null, (wanted: boolean) => void] {
  const [notices, setNotices] = useState(() => noticesOf(subject));
  const change = async (wanted: boolean) => {
    if (wanted) await Notification.requestPermission();
    localStorage.setItem(keyOf(subject), wanted ? 'on' : 'off');
    setNotices(noticesOf(subject));
  };
  return [notices, (wanted) => void change(wanted)];
}

/**
 * While the inbox is open and hidden, says that a request has come, to a reader who chose that. It says how many wait and
 * nothing about them: locked screens show a notice, too.
 */
export function useNotices(subject: string): void {
  useEffect(() => {
    if (noticesOf(subject) !== 'on') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let tag: string | null = null;
    /** The newest request that is known, by the time at which it came. */
    let newest: string | null = null;
    const look = async () => {
      clearTimeout(timer);
      const changed = await readChanged<InboxPage>(NEWEST, tag).catch(() => null);
      if (changed !== null) {
        ({ tag } = changed);
        const { items, waiting, more } = changed.value;
        const first = items[0] === undefined ? '' : `${items[0].accepted_at} ${items[0].id}`;
        const isNew = newest !== null && first > newest;
        if (newest === null || isNew) newest = first;
        if (isNew && isHidden() && noticesOf(subject) === 'on') show(texts.body(waiting, more));
      }
      clearTimeout(timer);
      if (isHidden()) timer = setTimeout(() => void look(), EVERY_MS);
    };
    const onVisible = () => {
      clearTimeout(timer);
      if (isHidden()) void look();
    };
    // What waits now is not new.
    void look();
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [subject]);
}

function isHidden(): boolean {
  return document.visibilityState === 'hidden';
}

function show(body: string): void {
  const notice = new Notification(texts.title, { body, tag: TAG });
  notice.onclick = () => {
    window.focus();
    notice.close();
  };
}
