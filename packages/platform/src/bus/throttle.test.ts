import { throttle } from './throttle.js';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it('sends a text at once, and repetitions soon after as one', () => {
  const sent: string[] = [];
  const send = throttle((text) => sent.push(text), 4);
  send('a');
  send('a');
  send('a');
  expect(sent).toEqual(['a']);
  jest.advanceTimersByTime(3);
  send('a');
  expect(sent).toEqual(['a']);
  jest.advanceTimersByTime(1);
  expect(sent).toEqual(['a', 'a']);
});

it('spaces later repetitions as well, and starts anew after a pause', () => {
  const sent: string[] = [];
  const send = throttle((text) => sent.push(text), 4);
  send('a');
  send('a');
  jest.advanceTimersByTime(4);
  send('a');
  expect(sent).toHaveLength(2);
  jest.advanceTimersByTime(4);
  expect(sent).toHaveLength(3);
  jest.advanceTimersByTime(100);
  expect(sent).toHaveLength(3);
  send('a');
  expect(sent).toHaveLength(4);
});

it('lets no text wait for another', () => {
  const sent: string[] = [];
  const send = throttle((text) => sent.push(text), 4);
  send('a');
  send('b');
  expect(sent).toEqual(['a', 'b']);
});
