import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { readLines } from './lines.js';

async function read(chunks: (string | Buffer)[], longest = 1000) {
  const body = new PassThrough();
  const said: string[] = [];
  const ended = new Promise<void>((resolve) => {
    readLines(body as unknown as IncomingMessage, longest, {
      line: (text) => said.push(text),
      tooLong: () => said.push('(too long)'),
      end: () => {
        said.push('(end)');
        resolve();
      },
    });
  });
  for (const chunk of chunks) body.write(chunk);
  body.end();
  await ended;
  return said;
}

describe('lines', () => {
  it('are whole however they come', async () => {
    expect(await read(['{"a', '":1}\n{"b":2', '}\n'])).toEqual(['{"a":1}', '{"b":2}', '(end)']);
  });

  it('need no line feed at the end, and may have a carriage return', async () => {
    expect(await read(['1\r\n2'])).toEqual(['1', '2', '(end)']);
  });

  it('that are empty are nothing', async () => {
    expect(await read(['\n\n  \n'])).toEqual(['(end)']);
  });

  it('keep characters that are cut in two', async () => {
    const bytes = Buffer.from('"é"\n');
    expect(await read([bytes.subarray(0, 2), bytes.subarray(2)])).toEqual(['"é"', '(end)']);
  });

  it('that are too long end the reading, whether or not they end', async () => {
    expect(await read(['12345\n123456\n1\n'], 5)).toEqual(['12345', '(too long)', '(end)']);
    expect(await read(['123', '456', '789'], 5)).toEqual(['(too long)', '(end)']);
  });
});
