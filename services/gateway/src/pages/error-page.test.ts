import { ERRORS, isErrorCode } from '@countersign/protocol';
import { ERRORS_IN_GERMAN } from '@countersign/protocol/errors-in-german';

import { errorReferencePage, refusalPage } from './error-page.js';

const refused = (
  code: Parameters<typeof errorReferencePage>[0],
  detail?: string,
  language: 'en' | 'de' = 'en',
) => refusalPage({ code, detail, trace: 'abc', reader: null, language });

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

test('a German reader is refused in German, and in English only where there is no German', () => {
  const page = refused('not_found', undefined, 'de');
  expect(page).toContain('<html lang="de">');
  expect(page).toContain('Diese Seite wurde nicht gefunden');
  expect(page).not.toMatch(/lang="en"|Back to|was not found/);
  expect(refused('rate_limited', undefined, 'de')).toContain('Zu viele Aufrufe');
  expect(refused('invalid_offset', undefined, 'de')).toContain(
    `<h1 lang="en">${ERRORS.invalid_offset.title}</h1>`,
  );
});

test('the German catalogue has codes of the catalogue, in words of its own', () => {
  for (const [code, [title, advice]] of Object.entries(ERRORS_IN_GERMAN)) {
    expect(isErrorCode(code)).toBe(true);
    expect([title, advice]).not.toContain(ERRORS[code as keyof typeof ERRORS].title);
    expect(title).not.toMatch(/[.!]$/);
    expect(advice).toMatch(/[.]$/);
  }
});
