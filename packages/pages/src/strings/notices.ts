import { number } from '../text/locale.js';

export const notices = {
  title: 'Countersign',
  body: (waiting: number, more: boolean) =>
    `A new request has arrived. Waiting for you: ${more ? `at least ${number(waiting)}` : number(waiting)}.`,
} as const;
