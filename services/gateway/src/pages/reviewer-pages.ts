import { html } from '../html.js';
import { page } from './layout.js';

const withoutScript = html`<noscript
  ><p>This page needs JavaScript from this origin.</p></noscript
>`;

export const inboxPage = page({
  title: 'Inbox',
  script: 'inbox.js',
  body: html`<h1>Inbox</h1>
    ${withoutScript}
    <p id="who" class="quiet"></p>
    <p id="notice" role="status"></p>
    <div class="scroll">
      <table id="requests" hidden>
        <thead>
          <tr>
            <th>Request</th>
            <th>Deadline</th>
            <th>State</th>
            <th>Assignment</th>
          </tr>
        </thead>
        <tbody></tbody>
      </table>
    </div>
    <p><button id="more" type="button" hidden>Show more</button></p>`,
});

export const reviewPage = page({
  title: 'Review',
  script: 'review.js',
  body: html`<h1 id="summary">Review</h1>
    ${withoutScript}
    <p id="who" class="quiet"></p>
    <p id="notice" role="status"></p>
    <section id="request" hidden>
      <dl id="facts"></dl>
      <h2>Document</h2>
      <p class="quiet">Digest <code id="document-digest"></code></p>
      <pre id="document" tabindex="0"></pre>
      <h2>Payload</h2>
      <p class="quiet">Digest <code id="payload-digest"></code></p>
      <pre id="payload" tabindex="0"></pre>
    </section>
    <form id="proposal" hidden>
      <h2>Your response</h2>
      <fieldset id="decisions"><legend>Decision</legend></fieldset>
      <div id="fields"></div>
      <label for="response">Response as JSON</label>
      <textarea id="response" rows="8" spellcheck="false"></textarea>
      <p><button type="submit">Propose</button></p>
    </form>
    <section id="candidate" hidden>
      <h2>Exactly this will be signed</h2>
      <dl id="candidate-facts"></dl>
      <pre id="candidate-response" tabindex="0"></pre>
      <p>
        <button id="confirm" type="button">Confirm this response</button>
        <button id="dismiss" type="button">Dismiss</button>
      </p>
    </section>
    <section id="receipt" hidden>
      <h2>Receipt</h2>
      <dl id="receipt-facts"></dl>
      <pre id="receipt-record" tabindex="0"></pre>
    </section>`,
});
