import { OPERATIONS } from '@countersign/protocol';

import { compileMatcher } from './matcher.js';

const match = compileMatcher(OPERATIONS);

describe('the matcher of operations', () => {
  test.each(OPERATIONS.map((operation) => [operation.number, operation] as const))(
    'finds operation %i by its method and path',
    (_number, operation) => {
      const found = match(operation.method, operation.path.replace('{id}', 'some%2Fid'));
      expect(found?.operation.number).toBe(operation.number);
      expect(found?.parameters).toEqual(operation.parameters.map(() => 'some%2Fid'));
    },
  );

  test.each([
    ['DELETE', '/v2/requests'],
    ['HEAD', '/v2/requests'],
    ['OPTIONS', '/v2/requests/a/cancel'],
    ['GET', '/v2'],
    ['GET', '/v2/'],
    ['GET', '/v2/requests/'],
    ['GET', '/v2//requests'],
    ['GET', '/v2/Requests'],
    ['GET', '/v2/requests/a/b/c'],
    ['POST', '/v2/requests//cancel'],
    ['GET', '/v2/__proto__'],
    ['GET', '/v2/constructor'],
    ['GET', '/v2/requests/{id}/nothing'],
  ])('matches nothing for %s %s', (method, path) => {
    expect(match(method, path)).toBeNull();
  });

  test('prefers a name to a parameter', () => {
    expect(match('GET', '/v2/admin/metrics.prom')?.operation.number).toBe(29);
    expect(match('GET', '/v2/hitl/poll')?.operation.number).toBe(23);
  });
});
