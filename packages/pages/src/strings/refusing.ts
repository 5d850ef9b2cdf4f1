import { number } from '../text/locale.js';

const requests = (amount: number) => `${number(amount)} ${amount === 1 ? 'request' : 'requests'}`;

export const refusing = {
  title: (amount: number) => `Refuse ${requests(amount)}`,
  most: (amount: number) => `At most ${amount} are refused at once; these are the first.`,
  reason: 'Reason for all of them',
  reasonHint: 'It becomes part of each signed answer, and the producers read it.',
  freeze: (amount: number) => `Review ${amount === 1 ? 'the refusal' : `${amount} refusals`} …`,
  freezing: 'Preparing them, one by one …',
  readThem: (frozen: number, left: number) =>
    `${requests(frozen)} can be refused.${left > 0 ? ` ${requests(left)} cannot be refused here.` : ''} Nothing is signed yet.`,
  haveRead: (amount: number) =>
    `I have read this list, and it is my decision to refuse ${amount === 1 ? 'this request' : `these ${requests(amount)}`}.`,
  sign: (amount: number) => `Refuse and sign ${requests(amount)}`,
  signed: (done: number, busy: number) =>
    busy > 0 ? `${requests(done)} refused, ${busy} under way …` : `${requests(done)} refused.`,
  cancel: 'Cancel',
  close: 'Close',
  exactly: 'What is signed',
  digest: 'Candidate digest',
  freshLogin: 'Its route requires a fresh login: refuse it on its own page.',
  left: {
    'asks-more':
      'It asks for more than a reason, or the reason is too short or too long: refuse it on its own page.',
    over: 'It was decided or ended meanwhile.',
    digest: 'Its material does not match its digests. Tell an operator.',
    failed: 'The service did not take it: open its own page.',
  },
  states: {
    waiting: 'Waiting',
    reading: 'Reading',
    left: 'Not refused',
    free: 'Not refused',
    preparing: 'Preparing',
    reviewing: 'Ready to sign',
    confirming: 'Signing',
    confirmed: 'Refused',
  },
} as const;
