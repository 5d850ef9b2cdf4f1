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
  characters: (most, used) =>
    used === 0
      ? `Höchstens ${number(most)} Zeichen.`
      : `${number(used)} von höchstens ${number(most)} Zeichen.`,
  range: (least, most) =>
    least !== null && most !== null
      ? `Von ${number(least)} bis ${number(most)}.`
      : least !== null
        ? `Mindestens ${number(least)}.`
        : most !== null && `Höchstens ${number(most)}.`,
  faults: {
    missing: 'Dieses Feld muss ausgefüllt werden.',
    too_long: 'Dieser Text ist zu lang.',
    too_small: 'Diese Zahl ist zu klein.',
    too_large: 'Diese Zahl ist zu groß.',
    no_number: 'Geben Sie eine Zahl ein, zum Beispiel 12.5.',
    no_integer: 'Geben Sie eine ganze Zahl ein, zum Beispiel 12.',
    no_json: 'Das ist kein gültiges JSON.',
  },
};
