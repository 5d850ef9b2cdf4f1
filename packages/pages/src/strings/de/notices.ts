import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { notices as English } from '../notices.js';

export const notices: Translation<typeof English> = {
  title: 'Countersign',
  body: (waiting, more) =>
    `Ein neuer Antrag ist eingegangen. Auf Sie warten: ${more ? `mindestens ${number(waiting)}` : number(waiting)}.`,
};
