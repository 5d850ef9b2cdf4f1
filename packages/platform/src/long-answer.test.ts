import { answerOf } from './long-answer.js';

/** The text's UTF-8 cut after every so many bytes. */
function cut(text: string, bytes: number): Uint8Array[] {
  const utf8 = Buffer.from(text);
  return Array.from({ length: Math.ceil(utf8.length / bytes) }, (_, at) =>
    utf8.subarray(at * bytes, (at + 1) * bytes),
  );
}

const hard = 'quote " backslash \\ line\n null \u0000 bell \u0007 é 日本 😀 \u2028 \u007f \ufeff';

test('an answer of short parts is a text', async () => {
  const parts = ['{"a":', { quoted: hard }, ',"b":', { quoted: Buffer.from(hard) }];
  const { status, body, bytes } = await answerOf(201, [...parts, ',"c":', { quoted: null }, '}']);
  expect([status, bytes]).toEqual([201, undefined]);
  expect(JSON.parse(body)).toEqual({ a: hard, b: hard, c: null });
});

test.each([1, 2, 3, 7, 1000])(
  'an answer with pieces of %d bytes is the same text in bytes',
  async (bytes) => {
    const value = JSON.stringify({ hard });
    const pieces = [
      '{"a":',
      { quoted: cut(hard, bytes) },
      ',"b":',
      cut(value, bytes),
      ',"c":"é","d":',
      { quoted: [] },
      '}',
    ];
    const answer = await answerOf(200, pieces);
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect(Buffer.from(answer.bytes as Uint8Array).toString()).toBe(
      `{"a":${JSON.stringify(hard)},"b":${value},"c":"é","d":""}`,
    );
  },
);

test('a long answer is made in turns with others', async () => {
  const piece = Buffer.alloc(128 * 1024, '"');
  let done = false;
  const making = answerOf(200, [{ quoted: Array(100).fill(piece) }]).finally(() => (done = true));
  let turns = 0;
  while (!done) {
    await new Promise(setImmediate);
    turns += 1;
  }
  expect(turns).toBeGreaterThanOrEqual(100);
  expect((await making).bytes).toHaveLength(2 + 2 * 100 * piece.length);
});
