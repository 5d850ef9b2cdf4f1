import { readLogLine } from './log-file.js';

describe('a line of a target’s log', () => {
  it.each([
    ['{"ready":true,"target":"review"}', { ready: true }],
    ['{"level":"info","msg":"request done"}', null],
    ['{"level":"warn","msg":"slow"}', null],
    ['{"level":"error","msg":"bus lost"}', { show: 'bus lost' }],
    [
      '{"level":"fatal","msg":"no start","err":{"message":"port taken"}}',
      { show: 'no start: port taken' },
    ],
    ['{"level":"error"', null],
    ['Error: something on stderr', null],
  ])('%s', (line, judgement) => {
    expect(readLogLine(line)).toEqual(judgement);
  });
});
