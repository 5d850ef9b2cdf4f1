import { ERRORS } from '@countersign/protocol';

import { errorReferencePage, refusalPage } from './error-page.js';

const refused = (code: Parameters<typeof refusalPage>[0], detail?: string) =>
  refusalPage(code, detail, 'abc', null);

test.each(['not_found', 'operator_required', 'human_required'] as const)(
  'a person who is refused by %s reads words for people, and finds a way back',
  (code) => {
    const page = refused(code);
    expect(page).not.toContain(ERRORS[code].title);
    expect(page).not.toMatch(/caller|credential|bearer/i);
    expect(page).toContain('href="/inbox"');
    expect(page).toContain(`href="/errors/${code}"`);
  },
);

test('the way back of a person who is not signed in is a login', () => {
  const page = refused('unauthenticated');
  expect(page).toContain('href="/auth/login"');
  expect(page).not.toContain('Back to the inbox');
});

test('a refusal that says more about itself is shown with it, as text', () => {
  expect(refused('not_found', '<b>This one</b>')).toContain('&lt;b&gt;This one&lt;/b&gt;');
});

test('the reference of a code keeps the words of its problem documents', () => {
  expect(errorReferencePage('not_found')).toContain(ERRORS.not_found.title);
});
