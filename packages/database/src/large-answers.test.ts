import { oneLargeAtATime } from './large-answers.js';

/** Calls that end on a signal, and the names of those that have begun. */
function setup() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const handler = oneLargeAtATime(
    (call: { caller: { tenant: string }; large: string | null; name: string }) => {
      begun.push(call.name);
      return new Promise<void>((resolve) => ends.push(resolve));
    },
  );
  const call = (tenant: string, large: string | null, name: string) =>
    handler({ caller: { tenant }, large, name });
  const turn = () => new Promise(setImmediate);
  const end = async () => {
    ends.shift()?.();
    await turn();
  };
  return { call, begun, turn, end };
}

test('a tenant has one large answer made at a time, from start to finish', async () => {
  const { call, begun, turn, end } = setup();
  const all = [call('a', 'taken', 'a 1'), call('a', 'taken', 'a 2'), call('b', 'taken', 'b 1')];
  await turn();
  expect(begun).toEqual(['a 1', 'b 1']);
  await end();
  expect(begun).toEqual(['a 1', 'b 1', 'a 2']);
  await end();
  await end();
  await Promise.all(all);
});

test('answers that are not known to be large wait for none', async () => {
  const { call, begun, turn, end } = setup();
  const all = [call('a', 'taken', '1'), call('a', 'ask', '2'), call('a', null, '3')];
  await turn();
  expect(begun).toEqual(['2', '3', '1']);
  for (const _ of all) await end();
  await Promise.all(all);
});
