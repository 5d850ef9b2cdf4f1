import type { ComponentChild } from 'preact';

import { LinkButton } from '../parts/Button.js';
import { lazily } from '../parts/lazily.js';
import { startPage } from '../start.js';
import { operator } from '../strings/operator.js';
import { Deliveries } from './Deliveries.js';
import { Frame } from './Frame.js';
import { Incidents } from './Incidents.js';
import { Ledger } from './Ledger.js';
import './operator.css';
import { Overview } from './Overview.js';
import { PrincipalPage } from './Principal.js';
import { Principals } from './Principals.js';
import { RequestPage } from './Request.js';
import { Requests } from './Requests.js';
import { RoutePage, Routes } from './Routes.js';

// Only that page has to do with keys.
const { Component: Keys } = lazily(async () => (await import('./Keys.js')).Keys);

type Page = (id: string) => ComponentChild;

/** By the words of the path; `*` is an id. */
const pages: Readonly<Record<string, Page>> = {
  '/operator': () => <Overview />,
  '/operator/requests': () => <Requests />,
  '/operator/requests/*': (id) => <RequestPage id={id} />,
  '/operator/routes': () => <Routes />,
  '/operator/routes/*': (id) => <RoutePage id={id} />,
  '/operator/principals': () => <Principals />,
  '/operator/principals/*': (id) => <PrincipalPage id={id} />,
  '/operator/keys': () => (
    <Frame title={operator.keys} lead={operator.keysLead}>
      <Keys />
    </Frame>
  ),
  '/operator/incidents': () => <Incidents />,
  '/operator/deliveries': () => <Deliveries />,
  '/operator/ledger': () => <Ledger />,
};

function pageHere(): ComponentChild {
  const [, first = '', place = '', sent] = location.pathname.split('/');
  const words = `/${[first, place].filter(Boolean).join('/')}`;
  const page = pages[sent ? `${words}/*` : words];
  return page?.(idOf(sent ?? '')) ?? <Unknown />;
}

function idOf(sent: string): string {
  try {
    return decodeURIComponent(sent);
  } catch {
    return sent;
  }
}

function Unknown() {
  return (
    <Frame title={operator.places}>
      <p>{operator.notFound}</p>
      <LinkButton href="/operator">{operator.toOverview}</LinkButton>
    </Frame>
  );
}

startPage(pageHere(), { wide: true });
