import { Writable } from 'node:stream';
import { createLogger, openCall } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';
import type { Call } from './call.js';
import { createRefuse } from './refusals.js';

function refused(fault: unknown): { line: Record<string, unknown>; problem: { instance: string } } {
  const written: string[] = [];
  const destination = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      written.push(chunk.toString());
      done();
    },
  });
  let body = '';
  const response = { setHeader: () => {}, end: (text: string) => (body = text) };
  const call = {
    request: { method: 'GET', headers: {} },
    response,
    path: '/v2/requests',
    query: '',
    route: '/v2/requests',
    ...openCall('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', false),
  } as unknown as Call;
  createRefuse('https://review.example', createLogger({ name: 'gateway', destination }))(
    call,
    fault,
  );
  return { line: JSON.parse(written.join('')), problem: JSON.parse(body) };
}

it.each([
  ['an error of ours', new TypeError('broken')],
  ['a service that does not answer', new Refusal('service_unavailable')],
])('logs %s under the trace that the caller is told', (_, fault) => {
  const { line, problem } = refused(fault);
  expect(line['trace']).toBe('0af7651916cd43dd8448eb211c80319c');
  expect(problem.instance).toContain(line['trace']);
});
