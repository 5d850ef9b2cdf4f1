import type { Translation } from '../../text/translation.js';
import type { answer as English } from '../answer.js';

export const answer: Translation<typeof English> = {
  title: 'Antwort',
  checking: 'Die Antwort wird mit dem signierten Datensatz verglichen …',
  checked: 'Ihre Prüfsumme wurde hier neu berechnet und ist die signierte.',
  deleted:
    'Die Antwort wurde nach den Aufbewahrungsregeln gelöscht. Ihre Prüfsumme steht weiterhin unten.',
  another:
    'Die gespeicherte Antwort ist nicht die signierte und wird deshalb nicht gezeigt. Informieren Sie den Betrieb.',
  notYours:
    'Sie sehen nur die Prüfsumme. Die Antwort lesen können die Person, die geantwortet hat, der Betrieb und der Antragsteller.',
  nothing: 'Die Entscheidung hat keine weiteren Felder.',
  empty: 'leer gelassen',
  none: 'nichts',
};
