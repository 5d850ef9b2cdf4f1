import type { InboxPage } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { readChanged } from '../api/client.js';
import { inbox } from '../strings/inbox.js';

/** Browsers call hidden pages no more often than once a minute. */
const EVERY_MS = 60_000;
const NEWEST = '/inbox/data?tab=waiting&sort=newest&limit=1';
/** One notice at a time, however many inboxes are open. */
const TAG = 'countersign-inbox';

const keyOf = (subject: string) => `countersign.notices.${encodeURIComponent(subject)}`;

export type Notices = 'off' | 'on' | 'blocked';

/** Null where the browser has none. */
function noticesOf(subject: string): Notices | null {
  if (!('Notification' in window)) return null;
  if (localStorage.getItem(keyOf(subject)) !== 'on') return 'off';
  return Notification.permission === 'granted' ? 'on' : 'blocked';
}

/**
 * Whether this browser says that a request has come while the inbox is open and hidden, and the way to change it. It says how
 * many wait and nothing about them: a notice is shown on locked screens, too.
 */
export function useNotices(subject: string): [Notices | null, (wanted: boolean) => void] {
  const [notices, setNotices] = useState(() => noticesOf(subject));
  const change = async (wanted: boolean) => {
    if (wanted) await Notification.requestPermission();
    localStorage.setItem(keyOf(subject), wanted ? 'on' : 'off');
    setNotices(noticesOf(subject));
  };

  useEffect(() => {
    if (notices !== 'on') return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let tag: string | null = null;
    /** The newest request that is known, by the time at which it came. */
    let newest: string | null = null;
    const look = async () => {
      const changed = await readChanged<InboxPage>(NEWEST, tag).catch(() => null);
      if (changed !== null) {
        ({ tag } = changed);
        const { items, waiting, more } = changed.value;
        const first = items[0] === undefined ? '' : `${items[0].accepted_at} ${items[0].id}`;
        const isNew = newest !== null && first > newest;
        if (newest === null || isNew) newest = first;
        if (isNew && document.visibilityState === 'hidden') show(inbox.amount(waiting, more));
      }
      if (document.visibilityState === 'hidden') timer = setTimeout(look, EVERY_MS);
    };
    const onVisible = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'hidden') void look();
    };
    document.addEventListener('visibilitychange', onVisible);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
    };
  }, [notices]);

  return [notices, (wanted) => void change(wanted)];
}

function show(waiting: string): void {
  const notice = new Notification(inbox.notices.title, {
    body: inbox.notices.body(waiting),
    tag: TAG,
  });
  notice.onclick = () => {
    window.focus();
    notice.close();
  };
}
