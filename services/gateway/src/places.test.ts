import { createPlaces, placeHeaders } from './places.js';

const limits = { principal: { calls: 3, large: 1 }, tenant: { calls: 4, large: 2 } };
const refused = (policy: string, limit: number) => ({ policy, limit });

describe('places', () => {
  test('are limited for each principal and for its tenant, and come back', () => {
    const places = createPlaces(limits);
    const take = (principal: string) => places.take('calls', 'acme', principal);
    const [first] = [take('a'), take('a'), take('a')];
    expect(take('a')).toEqual(refused('principal_calls', 3));
    expect(take('b')).toBeInstanceOf(Function);
    expect(take('c')).toEqual(refused('tenant_calls', 4));
    expect(places.take('calls', 'other', 'd')).toBeInstanceOf(Function);
    (first as () => void)();
    expect(take('a')).toBeInstanceOf(Function);
  });

  test('for large calls are others', () => {
    const places = createPlaces(limits);
    expect(places.take('large', 'acme', 'a')).toBeInstanceOf(Function);
    expect(places.take('large', 'acme', 'a')).toEqual(refused('principal_large', 1));
    expect(places.take('large', 'acme', 'b')).toBeInstanceOf(Function);
    expect(places.take('large', 'acme', 'c')).toEqual(refused('tenant_large', 2));
    expect(places.take('calls', 'acme', 'a')).toBeInstanceOf(Function);
  });

  test('give a refused caller the limit', () => {
    expect(placeHeaders({ policy: 'principal_large', limit: 4 })).toEqual({
      'RateLimit-Policy': '"principal_large";q=4;qu="concurrent-requests"',
      RateLimit: '"principal_large";r=0;t=1',
    });
  });
});
