import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { form as English } from '../form.js';

export const form: Translation<typeof English> = {
  none: '–',
  notAnswered: 'Keine Antwort',
  yes: 'Ja',
  no: 'Nein',
  add: 'Eintrag hinzufügen',
  remove: 'Entfernen',
  entry: (at) => `Eintrag ${at}`,
  addPart: 'Ausfüllen',
  removePart: 'Weglassen',
  emptyOnPurpose: 'Absichtlich leer lassen',
  which: 'Welche Art?',
  characters: (most) => `Höchstens ${number(most)} Zeichen.`,
  faults: {
    missing: 'Dieses Feld muss ausgefüllt werden.',
    no_number: 'Geben Sie eine Zahl ein, zum Beispiel 12.5.',
    no_integer: 'Geben Sie eine ganze Zahl ein, zum Beispiel 12.',
    no_json: 'Das ist kein gültiges JSON.',
  },
};
