import { EXAMPLES, OPERATIONS, declaredErrors, refusalCodes } from '@countersign/protocol';

import { html } from '../html.js';
import { docsPage } from './docs-page.js';

const sections = docsPage(OPERATIONS).split('<section ').slice(1);

test.each(OPERATIONS)('the page shows #$number with examples and all codes', (operation) => {
  const shown = sections[operation.number - 1] ?? '';
  expect(shown).toContain(`id="${operation.name}"`);
  for (const name of [operation.input, operation.output]) {
    if (name === null) continue;
    const text = JSON.stringify(EXAMPLES[name], null, 2);
    expect(shown).toContain(html`${text}`.markup);
  }
  const codes = declaredErrors(operation).flatMap((status) => refusalCodes(operation, status));
  const listed = [...shown.matchAll(/href="\/errors\/(\w+)"/g)].map(([, code]) => code);
  expect(listed).toEqual(codes);
});
