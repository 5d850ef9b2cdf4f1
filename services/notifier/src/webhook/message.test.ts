import { standardHeaders } from './message.js';

it('signs as the Standard Webhooks specification shows it', () => {
  // The example of the specification's reference libraries.
  const headers = standardHeaders(
    'msg_p5jXN8AQM9LWM0D4loKWxJek',
    1_614_265_330_000,
    '{"test": 2432232314}',
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  );
  expect(headers).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

it('covers id, second and body', () => {
  const sign = (id: string, now: number, body: string) =>
    standardHeaders(id, now, body, 'whsec_c2VjcmV0')['webhook-signature'];
  const signature = sign('a', 1000, '{}');
  expect(sign('a', 1999, '{}')).toBe(signature);
  expect(
    new Set([signature, sign('b', 1000, '{}'), sign('a', 2000, '{}'), sign('a', 1000, '')]).size,
  ).toBe(4);
});
