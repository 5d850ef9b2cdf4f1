import { read, whoAmI } from './api.js';
import { byId, element, explain, moment, notice } from './view.js';

const table = byId('requests');
const more = byId('more');
let next = 0;

function row(item) {
  const made = document.createElement('tr');
  const link = element('a', item.summary);
  link.href = `/review/${encodeURIComponent(item.id)}`;
  const first = document.createElement('td');
  first.append(link);
  made.append(
    first,
    element('td', moment(item.deadline)),
    element('td', item.decision),
    element(
      'td',
      item.assignment
        ? `${item.assignment.reviewer} until ${moment(item.assignment.expires_at)}`
        : '–',
    ),
  );
  return made;
}

async function load() {
  const page = await read(`/v2/requests?offset=${next}`);
  table.tBodies[0].append(...page.items.map(row));
  table.hidden = table.tBodies[0].rows.length === 0;
  notice(table.hidden ? 'Nothing waits for you.' : '');
  next = page.next_offset;
  more.hidden = next === null;
}

more.addEventListener('click', () => load().catch(explain));
whoAmI()
  .then(({ subject }) => {
    byId('who').textContent = `Signed in as ${subject}`;
    return load();
  })
  .catch(explain);
