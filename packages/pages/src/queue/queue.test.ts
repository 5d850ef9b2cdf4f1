import { placeIn } from './queue.js';

const item = (id: string, due: number) => ({
  id,
  summary: id,
  deadline: new Date(due).toISOString(),
});
const queue = (done: readonly string[]) => ({
  address: '#waiting',
  items: [item('a', 100), item('b', 200), item('c', 300), item('d', 400)],
  done,
});

test('a request has neighbours, and the next open one behind it', () => {
  expect(placeIn(queue([]), 'b', 0)).toMatchObject({
    at: 1,
    of: 4,
    before: { id: 'a' },
    after: { id: 'c' },
    open: { id: 'c' },
  });
  expect(placeIn(queue(['c']), 'b', 0)?.open?.id).toBe('d');
});

test('behind the last one the list begins again, without what is over', () => {
  expect(placeIn(queue([]), 'd', 150)).toMatchObject({ after: null, open: { id: 'b' } });
  expect(placeIn(queue(['a', 'b', 'c']), 'd', 0)?.open).toBeNull();
});

test('a request of another list has no place', () => {
  expect(placeIn(queue([]), 'z', 0)).toBeNull();
});
