import { corsHeaders, isAllowedOrigin } from './origins.js';

const ALLOWED = ['https://old.example'];

describe('origins', () => {
  it.each([
    [undefined, true],
    ['https://old.example', true],
    ['https://old.example.evil.example', false],
    ['http://old.example', false],
    ['null', false],
    ['', false],
  ])('of %j may connect: %j', (origin, allowed) => {
    expect(isAllowedOrigin(origin, ALLOWED)).toBe(allowed);
  });

  it('are told what they may read, by name and never by a star', () => {
    expect(corsHeaders('https://old.example', true, ALLOWED)).toMatchObject({
      'Access-Control-Allow-Origin': 'https://old.example',
      Vary: 'Origin',
    });
    expect(corsHeaders('https://new.example', true, ALLOWED)).toEqual({ Vary: 'Origin' });
    expect(corsHeaders('https://old.example', false, ALLOWED)).toEqual({});
  });
});
