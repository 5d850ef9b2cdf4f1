import type { ErrorStatus, Operation } from '@countersign/protocol';
import {
  CALLER_RULES,
  ERRORS,
  EXAMPLES,
  declaredErrors,
  refusalCodes,
} from '@countersign/protocol';

import type { Html } from '../html.js';
import { html } from '../html.js';
import { page } from './layout.js';

function size(bytes: number): string {
  if (bytes === 0) return '–';
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
}

function callers(operation: Operation): string {
  if (operation.security === 'none') return 'anyone';
  return CALLER_RULES[operation.callers].kinds.join(', ');
}

function row(operation: Operation): Html {
  return html`<tr>
    <td><a href="#${operation.name}">${operation.number}</a></td>
    <td><code>${operation.method} ${operation.path}</code></td>
    <td>${operation.summary}</td>
    <td>${callers(operation)}</td>
    <td>${operation.key ? 'required' : '–'}</td>
    <td>${operation.input ?? '–'}</td>
    <td>${size(operation.bodyLimit)}</td>
    <td>${operation.success.join(', ')} ${operation.output ?? 'text/plain'}</td>
  </tr> `;
}

function example(title: string, value: unknown): Html {
  return html`<details>
    <summary>${title}</summary>
    <pre>${JSON.stringify(value, null, 2)}</pre>
  </details> `;
}

function refusals(operation: Operation, status: ErrorStatus): Html | string {
  const codes = refusalCodes(operation, status);
  if (codes.length === 0) return '';
  return html`<dt>${status}</dt>
    ${codes.map(
      (code) =>
        html`<dd>
          <a href="/errors/${code}"><code>${code}</code></a> ${ERRORS[code].title}
        </dd> `,
    )}`;
}

/** One operation with an example of its body and of its answer, and every code that it refuses with. */
function section(operation: Operation): Html {
  const { number, name, method, path, summary, input, output, success } = operation;
  return html`<section id="${name}">
    <h2>#${number} <code>${method} ${path}</code></h2>
    <p>${summary}.</p>
    ${input === null ? '' : example(`Body: ${input}`, EXAMPLES[input])}
    ${output === null ? '' : example(`Answer: ${success.join(', ')} ${output}`, EXAMPLES[output])}
    <details>
      <summary>Refusals</summary>
      <dl>${declaredErrors(operation).map((status) => refusals(operation, status))}</dl>
    </details>
  </section> `;
}

/** The operations at a glance and one by one, out of the same table that serves them. */
export function docsPage(operations: readonly Operation[]): string {
  return page({
    title: 'API',
    body: html`<h1>API</h1>
      <p>
        The complete description is <a href="/openapi.json">/openapi.json</a>. Refusals are problem
        documents (RFC 9457); their member <code>error</code> is the code to key on, and
        <code>/errors/&lt;code&gt;</code> explains it. Bearer callers send
        <code>Authorization: Bearer …</code>. People sign in at
        <a href="/auth/login">/auth/login</a> and send <code>X-CSRF-Token</code> with everything but
        reads.
      </p>
      <div class="scroll" tabindex="0" role="region" aria-label="Operations">
        <table class="calls">
          <thead>
            <tr>
              <th>#</th>
              <th>Call</th>
              <th>Purpose</th>
              <th>Callers</th>
              <th>Idempotency-Key</th>
              <th>Body</th>
              <th>Limit</th>
              <th>Answer</th>
            </tr>
          </thead>
          <tbody>
            ${operations.map(row)}
          </tbody>
        </table>
      </div>
      ${operations.map(section)}`,
  });
}
