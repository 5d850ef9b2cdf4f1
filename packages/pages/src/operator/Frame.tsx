import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

import { useCurrentInView } from '../parts/current-in-view.js';
import { operator } from '../strings/operator.js';
import { shared } from '../strings/shared.js';
import { offersKeys } from '../session/offers-keys.js';
import { reader } from '../session/session.js';

const places: readonly (readonly [href: string, title: string])[] = [
  ['/operator', operator.overview],
  ['/operator/requests', operator.requests],
  ['/operator/incidents', operator.incidents],
  ['/operator/deliveries', operator.deliveries],
  ['/operator/routes', operator.routes],
  ['/operator/principals', operator.principals],
  ...(offersKeys() ? ([['/operator/keys', operator.keys]] as const) : []),
  ['/operator/ledger', operator.ledger],
  ['/security-log', operator.securityLog],
];

function isHere(href: string): boolean {
  const { pathname } = location;
  return href === '/operator' ? pathname === href : pathname.startsWith(href);
}

/** The frame of each operator page: the navigation, and the subject of the page. An auditor sees no other place. */
export function Frame(props: {
  readonly title: string;
  readonly heading?: ComponentChildren;
  readonly lead?: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly children: ComponentChildren;
}) {
  const { title, heading = title, lead, aside } = props;
  const row = useCurrentInView(location.pathname);
  useEffect(() => {
    document.title = `${title} · ${operator.places} · ${shared.brand}`;
  }, [title]);
  return (
    <>
      {reader()?.operator === true && (
        <nav class="places no-print" aria-label={operator.places} ref={row}>
          {places.map(([href, name]) => (
            <a key={href} href={href} aria-current={isHere(href) ? 'page' : undefined}>
              {name}
            </a>
          ))}
        </nav>
      )}
      <header class="row apart page-head">
        <h1>{heading}</h1>
        {aside}
      </header>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {props.children}
    </>
  );
}
