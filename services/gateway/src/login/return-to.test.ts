import { returnTo } from './return-to.js';

const id = '0198c1de-0000-7000-8000-000000000001';

describe('the way back after a login', () => {
  test('is the page of one request', () => {
    expect(returnTo([`/review/${id}`])).toBe(`/review/${id}`);
  });

  test.each([
    [[]],
    [['']],
    [['/inbox?x=1']],
    [['//evil.example/review/' + id]],
    [['https://evil.example/']],
    [[`/review/${id}/`]],
    [[`/review/${id}\n`]],
    [[`/review/${id.toUpperCase()}`]],
    [[`/review/../${id}`]],
    [[`/review/${id}?next=//evil.example`]],
    [[`/review/${id}`, `/review/${id}`]],
  ])('is the inbox for %j', (asked) => {
    expect(returnTo(asked)).toBe('/inbox');
  });
});
