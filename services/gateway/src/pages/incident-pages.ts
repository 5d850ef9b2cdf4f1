import { INCIDENTS } from '@countersign/protocol';
import type { IncidentCode } from '@countersign/protocol';

import { html } from '../html.js';
import { page } from './layout.js';

const CODES = Object.keys(INCIDENTS) as IncidentCode[];

/** Pages by path: one for each incident, and one that lists them. */
export function incidentPages(): ReadonlyMap<string, string> {
  return new Map([
    ['/docs/incidents', indexPage()],
    ...CODES.map((code): [string, string] => [`/docs/incidents/${code}`, incidentPage(code)]),
  ]);
}

function indexPage(): string {
  return page({
    title: 'Incidents',
    body: html`<h1>Incidents</h1>
      <p>
        Operators find a tenant’s newest incidents in <code>GET /v2/admin/metrics</code>. Each has a
        page that says what to do.
      </p>
      <dl>
        ${CODES.map(
          (code) =>
            html`<dt><a href="/docs/incidents/${code}">${code}</a></dt>
              <dd>${INCIDENTS[code].title}</dd> `,
        )}
      </dl>`,
  });
}

function incidentPage(code: IncidentCode): string {
  const { title, meaning, steps } = INCIDENTS[code];
  return page({
    title,
    body: html`<h1>${title}</h1>
      <p>${meaning}</p>
      <h2>What to do</h2>
      <ol>
        ${steps.map((step) => html`<li>${step}</li> `)}
      </ol>
      <p class="quiet"><code>${code}</code> · <a href="/docs/incidents">all incidents</a></p>`,
  });
}
