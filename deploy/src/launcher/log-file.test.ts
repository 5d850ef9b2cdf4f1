import { judgeLine } from './log-file.js';

describe('a line of a target’s log', () => {
  it.each([
    ['{"ready":true,"target":"review"}', { ready: true }],
    ['{"level":30,"msg":"request done"}', null],
    ['{"level":40,"msg":"slow"}', null],
    ['{"level":50,"msg":"bus lost"}', { show: 'bus lost' }],
    [
      '{"level":60,"msg":"no start","err":{"message":"port taken"}}',
      { show: 'no start: port taken' },
    ],
    ['{"level":50', null],
    ['Error: something on stderr', null],
  ])('%s', (line, judgement) => {
    expect(judgeLine(line)).toEqual(judgement);
  });
});
