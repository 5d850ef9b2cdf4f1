import type { Translation } from '../../text/translation.js';
import type { app as English } from '../app.js';

export const app: Translation<typeof English> = {
  title: 'App',
  lead: (publisher) =>
    `Gezeigt von einer App von ${publisher}, getrennt von dieser Seite. Sie kann eine Antwort vorschlagen, aber nicht bestätigen.`,
  titleOf: (publisher) => `App von ${publisher}`,
  failures: {
    snapshot_mismatch: 'Der Dienst hat nicht die App gesendet, an die dieser Antrag gebunden ist.',
    unconfined: 'Dieser Browser hat nicht bewiesen, dass die App eingeschlossen wäre.',
    not_loaded: 'Die App konnte nicht geladen werden.',
    navigated: 'Die App hat ihre Seite verlassen oder neu geladen.',
    not_initialised: 'Die App ist nicht rechtzeitig gestartet.',
    page_left:
      'Die App endete, als diese Seite verlassen wurde. Laden Sie die Seite neu, um sie zu sehen.',
    silent: 'Die App antwortet nicht mehr.',
    not_json: 'Die App hat etwas gesendet, das kein JSON ist.',
    too_deep: 'Die App hat eine zu tief verschachtelte Nachricht gesendet.',
    too_big: 'Die App oder ihre Daten sind größer, als eine Nachricht sein darf.',
    too_many_messages: 'Die App hat zu viele Nachrichten gesendet.',
    too_many_proposals: 'Die App hat zu oft etwas vorgeschlagen.',
    wrong_profile: 'Die App wurde für ein anderes Profil gemacht.',
    out_of_order: 'Die App hat die Reihenfolge der Nachrichten nicht eingehalten.',
  },
  loading: 'Die App wird geladen …',
  failed: 'Auf dieser Seite können Sie auch ohne sie alles lesen und entscheiden.',
  full: 'Volle Breite',
  notFull: 'Neben der Entscheidung',
  another: 'Der App einen weiteren Vorschlag erlauben',
};
