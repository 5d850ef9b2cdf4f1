import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';

import { isRefusal, send } from '../api/client.js';
import { LinkButton } from '../parts/Button.js';
import { Fault, Notice } from '../parts/Notice.js';
import { dropDraftsOf } from '../review/draft-store.js';
import { onSession, reader, sessionState } from '../session/session.js';
import type { Reader, SessionState } from '../session/session.js';
import { offersKeys } from '../session/offers-keys.js';
import { loginAddress, rememberPlace } from '../session/return.js';
import { shared } from '../strings/shared.js';
import { SafeText } from '../text/SafeText.js';
import { LanguageChoice } from './LanguageChoice.js';
import { ThemeChoice } from './ThemeChoice.js';

interface Place {
  readonly href: string;
  readonly title: string;
  readonly for: (reader: Reader | null) => boolean;
}

/** Where one can go, by role. A link to a page that would refuse is not shown. */
const places: readonly Place[] = [
  { href: '/inbox', title: shared.inbox, for: (who) => who?.auditor === false },
  { href: '/operator', title: shared.operator, for: (who) => who?.operator === true },
  { href: '/security-log', title: shared.securityLog, for: (who) => who?.auditor === true },
  { href: '/auditor', title: shared.auditor, for: () => true },
];

/** The frame of every page: who reads it, where else to go, and whether the session still lives. */
export function Layout({
  children,
  wide = false,
}: {
  children: ComponentChildren;
  wide?: boolean;
}) {
  const who = reader();
  return (
    <>
      <a class="skip" href="#content">
        {shared.skip}
      </a>
      <header class="top">
        <div class="top-inner">
          <a class="brand" href="/inbox">
            <Mark />
            {shared.brand}
          </a>
          <nav aria-label={shared.navigation}>
            {places
              .filter((place) => place.for(who))
              .map(({ href, title }) => (
                <a
                  key={href}
                  href={href}
                  aria-current={location.pathname.startsWith(href) ? 'page' : undefined}
                >
                  {title}
                </a>
              ))}
          </nav>
          {who && <Who who={who} />}
        </div>
      </header>
      <main id="content" class={wide ? 'wide' : undefined} tabIndex={-1}>
        <SessionNotice />
        <OfflineNotice />
        {children}
      </main>
    </>
  );
}

function Mark() {
  return (
    <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
      <path d="M3.5 13.5l4 4L15 7.5" />
      <path d="M10.5 16l1.5 1.5 8.5-11" />
    </svg>
  );
}

function Who({ who }: { who: Reader }) {
  const [fault, setFault] = useState<unknown>(null);
  const leave = async (to: string) => {
    try {
      await send('POST', '/auth/logout', {}, { quiet: true });
    } catch (problem) {
      // A session that is over already is as good as ended; any other failure must not look like success.
      if (!isRefusal(problem, 'unauthenticated')) {
        setFault(problem);
        return;
      }
    }
    dropDraftsOf(who.subject);
    sessionStorage.clear();
    location.assign(to);
  };
  return (
    <details class="who">
      <summary>
        <span class="unseen">{shared.signedInAs} </span>
        <SafeText text={who.name} limit={60} />
        <span class="who-tenant">
          <span class="unseen">{shared.inTenant} </span>
          {who.tenant}
        </span>
      </summary>
      <div class="who-menu">
        <p>
          <span class="fine">{shared.signedInAs}</span>
          <br />
          <SafeText text={who.name} limit={200} />
          <br />
          <code>
            <SafeText text={who.subject} />
          </code>
          <br />
          <span class="fine">{shared.inTenant}</span> <strong>{who.tenant}</strong>
        </p>
        <ThemeChoice />
        <LanguageChoice />
        {who.choice && (
          <a class="button quiet" href={loginAddress()} onClick={rememberPlace}>
            {shared.switchTenant}
          </a>
        )}
        {!who.auditor && (
          <a class="button quiet" href="/notifications">
            {shared.notifications}
          </a>
        )}
        {offersKeys() && !who.auditor && (
          <a class="button quiet" href="/me">
            {shared.myKeys}
          </a>
        )}
        <a class="button quiet" href="/sessions">
          {shared.mySessions}
        </a>
        <button type="button" class="button plain" onClick={() => void leave('/auth/leave')}>
          {shared.signOut}
        </button>
        <button type="button" class="button quiet" onClick={() => void leave(loginAddress())}>
          {shared.switchPerson}
        </button>
        {fault !== null && <Fault fault={fault} />}
      </div>
    </details>
  );
}

function SessionNotice() {
  const [state, setState] = useState<SessionState>(sessionState);
  useEffect(() => onSession(setState), []);
  if (state.kind === 'live') return null;
  if (state.kind === 'other') {
    return (
      <Notice tone="warning">
        <p>{shared.sessionOther(state.subject, state.tenant)}</p>
        <LinkButton href={location.pathname} look="primary">
          {shared.goOnAs(state.subject)}
        </LinkButton>
      </Notice>
    );
  }
  return (
    <Notice tone="warning">
      <p>{shared.sessionOver}</p>
      <LinkButton href={loginAddress()} look="primary" onClick={rememberPlace}>
        {shared.signIn}
      </LinkButton>
    </Notice>
  );
}

function OfflineNotice() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    window.addEventListener('online', look);
    window.addEventListener('offline', look);
    return () => {
      window.removeEventListener('online', look);
      window.removeEventListener('offline', look);
    };
  }, []);
  return online ? null : (
    <Notice tone="warning">
      <p>{shared.offline}</p>
    </Notice>
  );
}
