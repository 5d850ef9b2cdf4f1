import type { Translation } from '../../text/translation.js';
import type { notifications as English } from '../notifications.js';

export const notifications: Translation<typeof English> = {
  title: 'Benachrichtigungen',
  lead: (tenant) =>
    `Wie Countersign Sie beim Mandanten ${tenant} über Prüfungen und Ihre Anträge benachrichtigt. Mit einer Benachrichtigung kann nichts entschieden werden.`,
  mails: 'E-Mails',
  mailsAbout: 'E-Mails über Prüfungen',
  choices: {
    at_once: 'Sofort: eine E-Mail für jede neue Prüfung und Erinnerung',
    digest: 'Gesammelt: eine E-Mail mit allen Prüfungen, die auf Sie warten',
    none: 'Keine, auch nicht über Ihre eigenen Anträge',
  },
  mailsHint:
    'Wer den Betrieb verantwortet, erhält immer die E-Mail, dass eine Ausführung ihr Ergebnis nicht gemeldet hat. E-Mails brauchen eine Adresse, die der Betrieb eingetragen hat.',
  hours: 'Uhrzeiten der gesammelten E-Mail',
  hoursHint: 'Wenn nichts auf Sie wartet, wird keine gesendet.',
  quiet: 'Ruhezeit',
  quietChoice: 'Während der Ruhezeit keine E-Mails senden',
  quietHint:
    'E-Mails warten bis zum Ende der Ruhezeit, auch wenn eine Frist früher endet. E-Mails über Prüfungen, die dann vorbei sind, werden nicht gesendet.',
  from: 'Von',
  until: 'Bis',
  timeZone: 'Zeitzone',
  language: 'Sprache der E-Mails',
  save: 'Speichern',
  saved: 'Gespeichert.',
  unsaved: 'Es gibt ungespeicherte Änderungen.',
  faults: {
    'no-hour': 'Wählen Sie mindestens eine Uhrzeit.',
    'quiet-hour':
      'Eine Uhrzeit der gesammelten E-Mail liegt in der Ruhezeit. Wählen Sie eine andere.',
    'no-span': 'Geben Sie zwei verschiedene Uhrzeiten ein.',
  },
  browser: 'Dieser Browser',
  browserHint:
    'Solange der Eingang in einem Tab geöffnet ist, den Sie nicht sehen, meldet dieser Browser, dass ein Antrag eingegangen ist und wie viele warten, und nichts über sie. Die Wahl wird in diesem Browser gespeichert.',
  notify: 'In diesem Browser benachrichtigen',
  notNotify: 'In diesem Browser nicht benachrichtigen',
  notices: {
    off: 'Benachrichtigungen dieses Browsers sind aus.',
    on: 'Benachrichtigungen dieses Browsers sind an.',
    blocked:
      'Ihr Browser sperrt Benachrichtigungen. Erlauben Sie sie in seinen Einstellungen für diese Website.',
    missing: 'Dieser Browser hat keine Benachrichtigungen.',
  },
};
