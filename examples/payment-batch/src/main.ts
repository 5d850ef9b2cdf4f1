import type { Decision, View } from '@countersign/view';
import { ProposalRefused, connect } from '@countersign/view';

import type { Batch, Mark, Payment } from './batch.js';
import { answerOf, batchOf, markOf, readable, totalsOf, unexplained } from './batch.js';

const app = document.querySelector('#app') as HTMLElement;

/** The producer's words become text, never markup. */
function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  members: Partial<HTMLElementTagNameMap[Name]> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = Object.assign(document.createElement(name), members);
  made.append(...children);
  return made;
}

function start(view: View<unknown>): void {
  const batch = batchOf(view.payload);
  if (batch === null) {
    app.replaceChildren(
      element('h1', {}, view.summary),
      element(
        'p',
        {},
        'This is no batch of payments that the app can show. Decide by the page around it.',
      ),
    );
    return;
  }
  show(view, batch);
}

function show(view: View<unknown>, batch: Batch): void {
  const marks = new Map<string, Mark>();
  const { yes, no } = wordsOf(view);
  const money = (amount: string) => `${readable(amount)} ${batch.currency}`;

  const status = element('p', { className: 'status', role: 'status' });
  const released = element('dd', { className: 'money strong' });
  const excluded = element('dd', { className: 'money' });
  const releasedCount = element('dt');
  const excludedCount = element('dt');
  const release = element('button', { type: 'button', className: 'primary' }, yes.label);
  const rejectAll = element('button', { type: 'button' }, no.label);
  const onlyFlagged = element('input', { type: 'checkbox', id: 'only-flagged' });
  const rows = new Map(batch.payments.map((payment) => [payment.id, rowOf(payment)]));

  function rowOf(payment: Payment): HTMLTableRowElement {
    const { id, payee, account, reference, amount, flags } = payment;
    const exclude = element('input', { type: 'checkbox', ariaLabel: `Exclude ${id}, ${payee}` });
    const note = element('input', {
      type: 'text',
      maxLength: 300,
      autocomplete: 'off',
      placeholder: 'Note',
      ariaLabel: `Note on ${id}, ${payee}`,
    });
    const mark = () => {
      marks.set(id, { excluded: exclude.checked, note: note.value });
      row.classList.toggle('excluded', exclude.checked);
      refresh();
    };
    exclude.addEventListener('change', mark);
    note.addEventListener('input', mark);
    const reasons = flags.map((flag) => element('li', {}, flag));
    const looks =
      reasons.length > 0 ? [element('ul', { ariaLabel: 'Look twice' }, ...reasons)] : [];
    // Roles are said because a narrow frame shows rows as blocks, which would take them away.
    const row = element(
      'tr',
      { role: 'row' },
      element('td', { role: 'cell', className: 'choice' }, exclude),
      element(
        'th',
        { role: 'rowheader', scope: 'row' },
        element('span', { className: 'name' }, payee),
        element('span', { className: 'fine' }, `${id} · ${account}`),
        element('span', { className: 'fine' }, reference),
      ),
      element('td', { role: 'cell', className: 'money' }, readable(amount)),
      element('td', { role: 'cell', className: 'remarks' }, ...looks, note),
    );
    row.classList.toggle('flagged', flags.length > 0);
    return row;
  }

  function refresh(): void {
    const totals = totalsOf(batch, marks);
    releasedCount.textContent = `${yes.done} (${totals.releasedCount})`;
    excludedCount.textContent = `Excluded (${totals.excludedCount})`;
    released.textContent = money(totals.released);
    excluded.textContent = money(totals.excluded);
    const open = unexplained(batch, marks);
    release.disabled = totals.releasedCount === 0 || open.length > 0;
    status.textContent =
      open.length > 0
        ? `Say why ${open.join(', ')} ${open.length > 1 ? 'are' : 'is'} excluded.`
        : '';
    for (const payment of batch.payments) {
      const row = rows.get(payment.id) as HTMLTableRowElement;
      row.hidden =
        onlyFlagged.checked && payment.flags.length === 0 && !markOf(marks, payment.id).excluded;
    }
  }

  async function propose(decision: Decision, response: unknown): Promise<void> {
    release.disabled = rejectAll.disabled = true;
    status.textContent = 'Proposing …';
    try {
      await view.propose({ decision, response });
      status.textContent = 'Proposed. Read and confirm it on the page around this app.';
    } catch (error) {
      status.textContent =
        error instanceof ProposalRefused ? `Not proposed: ${error.message}.` : 'Not proposed.';
    }
    rejectAll.disabled = false;
    const said = status.textContent;
    refresh();
    status.textContent = said;
  }

  release.addEventListener('click', () => void propose(yes.decision, answerOf(batch, marks)));
  rejectAll.addEventListener('click', () => {
    const all = new Map(
      batch.payments.map(({ id }) => [id, { excluded: true, note: markOf(marks, id).note }]),
    );
    void propose(no.decision, answerOf(batch, all));
  });
  onlyFlagged.addEventListener('change', refresh);
  view.onTeardown(() => (release.disabled = rejectAll.disabled = true));

  const flagged = batch.payments.filter(({ flags }) => flags.length > 0).length;
  app.replaceChildren(
    element(
      'header',
      {},
      element('h1', {}, `Payments of ${batch.debtor.name}`),
      element(
        'p',
        { className: 'fine' },
        `Batch ${batch.batch} from ${batch.debtor.account}, due ${batch.due}`,
      ),
    ),
    element(
      'dl',
      { className: 'totals' },
      element(
        'div',
        {},
        element('dt', {}, `All (${batch.payments.length})`),
        element('dd', { className: 'money' }, money(totalsOf(batch, marks).all)),
      ),
      element('div', {}, excludedCount, excluded),
      element('div', {}, releasedCount, released),
    ),
    element(
      'p',
      { className: 'filter' },
      onlyFlagged,
      element(
        'label',
        { htmlFor: 'only-flagged' },
        ` Only the ${flagged} that somebody should look at twice`,
      ),
    ),
    element(
      'div',
      { className: 'payments' },
      element(
        'table',
        { role: 'table' },
        element(
          'thead',
          { role: 'rowgroup' },
          element(
            'tr',
            { role: 'row' },
            ...['Exclude', 'Payee', `Amount in ${batch.currency}`, 'Remarks'].map((name) =>
              element('th', { role: 'columnheader', scope: 'col' }, name),
            ),
          ),
        ),
        element('tbody', { role: 'rowgroup' }, ...rows.values()),
      ),
    ),
    element('footer', {}, status, element('div', { className: 'buttons' }, rejectAll, release)),
  );
  refresh();
}

/** A batch is released by an execution, or only looked at in a review. */
function wordsOf({ purpose }: View<unknown>) {
  return purpose === 'authorise_execution'
    ? ({
        yes: { decision: 'authorise', label: 'Propose to release', done: 'Released' },
        no: { decision: 'refuse', label: 'Propose to refuse all' },
      } as const)
    : ({
        yes: { decision: 'approve', label: 'Propose to approve', done: 'Approved' },
        no: { decision: 'reject', label: 'Propose to reject all' },
      } as const);
}

connect({ name: 'Payment batch', version: '1.0.0' }).then(start, () => {
  app.textContent = 'This app runs only on a review page of Countersign.';
});
