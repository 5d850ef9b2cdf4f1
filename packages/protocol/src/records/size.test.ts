import { oversizedResponse } from './size.js';

it('refuses a response over its canonical bytes', () => {
  expect(oversizedResponse({ response: 'ab' }, { response_bytes: 3 })).toBe('response_too_large');
  expect(oversizedResponse({ response: 'ab' }, { response_bytes: 4 })).toBeNull();
});

test.each([null, 7, 'text', [], {}])('leaves %j to the schema', (input) => {
  expect(oversizedResponse(input, { response_bytes: 0 })).toBeNull();
});
