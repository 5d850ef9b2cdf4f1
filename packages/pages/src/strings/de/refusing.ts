import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { refusing as English } from '../refusing.js';

const requests = (amount: number) => `${number(amount)} ${amount === 1 ? 'Antrag' : 'Anträge'}`;

export const refusing: Translation<typeof English> = {
  title: (amount) => `${requests(amount)} ablehnen`,
  most: (amount) => `Höchstens ${amount} werden zugleich abgelehnt; dies sind die ersten.`,
  reason: 'Begründung für alle',
  reasonHint: 'Sie wird Teil jeder signierten Antwort, und die Antragsteller lesen sie.',
  freeze: (amount) => (amount === 1 ? 'Ablehnung prüfen …' : `${amount} Ablehnungen prüfen …`),
  freezing: 'Die Ablehnungen werden nacheinander vorbereitet …',
  readThem: (frozen, left) =>
    `${requests(frozen)} ${frozen === 1 ? 'kann' : 'können'} abgelehnt werden.${left > 0 ? ` ${requests(left)} ${left === 1 ? 'kann' : 'können'} hier nicht abgelehnt werden.` : ''} Noch ist nichts signiert.`,
  haveRead: (amount) =>
    `Ich habe diese Liste gelesen, und es ist meine Entscheidung, ${amount === 1 ? 'diesen Antrag' : `diese ${requests(amount)}`} abzulehnen.`,
  sign: (amount) => `${requests(amount)} ablehnen und signieren`,
  signed: (done, busy) =>
    busy > 0 ? `${requests(done)} abgelehnt, ${busy} in Arbeit …` : `${requests(done)} abgelehnt.`,
  cancel: 'Abbrechen',
  close: 'Schließen',
  exactly: 'Was signiert wird',
  digest: 'Prüfsumme der Antwort',
  freshLogin: 'Seine Route verlangt eine frische Anmeldung: Lehnen Sie ihn auf seiner Seite ab.',
  left: {
    'asks-more':
      'Er verlangt mehr als eine Begründung, oder die Begründung ist zu kurz oder zu lang: Lehnen Sie ihn auf seiner Seite ab.',
    over: 'Er wurde inzwischen entschieden oder ist beendet.',
    digest: 'Sein Inhalt passt nicht zu seinen Prüfsummen. Informieren Sie den Betrieb.',
    failed: 'Der Dienst hat die Ablehnung nicht angenommen: Öffnen Sie seine Seite.',
  },
  states: {
    waiting: 'Wartet',
    reading: 'Wird gelesen',
    left: 'Nicht abgelehnt',
    free: 'Nicht abgelehnt',
    preparing: 'Wird vorbereitet',
    reviewing: 'Bereit zum Signieren',
    confirming: 'Wird signiert',
    confirmed: 'Abgelehnt',
  },
};
