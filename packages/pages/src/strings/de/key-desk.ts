import type { Translation } from '../../text/translation.js';
import type { keyDesk as English } from '../key-desk.js';

export const keyDesk: Translation<typeof English> = {
  list: 'Schlüssel, die warten',
  none: [
    'Kein Schlüssel wartet',
    'Ein Schlüssel, den eine Person hinzufügt, wartet hier 24 Stunden und ist dann gelöscht.',
  ],
  person: 'Wer',
  login: 'Anmeldung',
  key: 'Schlüssel',
  since: 'Hinzugefügt',
  action: 'Bürgen',
  suspended: 'Ausgesetzt',
  suspendedWhy: 'Sein Zähler ging zurück, wie bei einer Kopie.',
  deviceBound: 'bleibt auf seinem Gerät',
  synced: 'kann auf mehreren Geräten sein',
  gone: 'Gelöscht',
  own: 'Er gehört Ihnen: Ein anderer Betreiber muss sich für ihn verbürgen.',
  open: 'Bürgen …',
  openLabel: (label, person) => `Für „${label}“ von ${person} bürgen`,
  panel: (label) => `„${label}“ gegenzeichnen`,
  ask: 'Von jetzt an signiert dieser Schlüssel Stimmen als diese Person. Zeichnen Sie erst gegen, wenn die Person Ihnen Name und Zeit gesagt hat, persönlich oder am Telefon.',
  askSuspended:
    'Ein anderes Gerät kann denselben Schlüssel haben. Zeichnen Sie nur gegen, wenn die Person es erklären kann, etwa mit einer Sicherung. Sonst beenden Sie den Schlüssel.',
  asked: 'Die Person hat mir das bestätigt.',
  service: 'Name des Schlüssels in diesem Dienst',
  fingerprint: 'Fingerabdruck',
  with: 'Sie signieren mit',
  without: 'Sie haben noch keinen Schlüssel, der zählt; darum bürgt Ihre Sitzung allein.',
  sign: 'Mit Ihrem Schlüssel signieren',
  vouch: 'Gegenzeichnen',
  waiting: 'Warten auf Ihren Schlüssel …',
  stop: 'Nicht mehr warten',
  done: (label, person) => `„${label}“ von ${person} zählt jetzt.`,
  cancel: 'Jetzt nicht',
};
