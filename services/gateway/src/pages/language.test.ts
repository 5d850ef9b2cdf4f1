import { languageFor } from './language.js';

it.each([
  ['de', undefined, 'de'],
  ['de-CH, de;q=0.9, en;q=0.8', undefined, 'de'],
  ['fr, en;q=0.5, de;q=0.7', undefined, 'de'],
  ['en-GB,en;q=0.9,de;q=0.8', undefined, 'en'],
  ['de;q=0', undefined, 'en'],
  ['fr', undefined, 'en'],
  ['*', undefined, 'en'],
  ['den, deutsch, de;q=2', undefined, 'en'],
  [undefined, undefined, 'en'],
  ['de', '__Host-proto-theme=dark; __Host-proto-language=en', 'en'],
  ['en', '__Host-proto-language=de; a=b', 'de'],
  ['en', '__Host-proto-language=xx', 'en'],
  ['en', 'a__Host-proto-language=de', 'en'],
])('of %j and the cookies %j is %s', (accepted, cookie, language) => {
  expect(languageFor({ 'accept-language': accepted, cookie })).toBe(language);
});
