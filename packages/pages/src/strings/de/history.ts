import type { Translation } from '../../text/translation.js';
import type { history as English } from '../history.js';
import { decisionNames } from './states.js';

const outcomes: Readonly<Record<string, string>> = {
  completed: 'vollständig ausgeführt',
  failed: 'fehlgeschlagen',
  failed_partial: 'teilweise fehlgeschlagen',
  uncertain: 'die Wirkung ist ungewiss',
  cancelled_before_dispatch: 'nichts wurde ausgeführt',
  abandoned: 'aufgegeben',
};
const outcomeIn = (word: string | null) => outcomes[word ?? ''] ?? word ?? '';
const decided = (word: string | null) => {
  const doing = decisionNames[word ?? '']?.doing;
  return doing === undefined ? `hat entschieden: ${word}` : `hat ${doing.toLowerCase()}`;
};
const voted = (word: string | null) => decisionNames[word ?? '']?.doing ?? word ?? '';

export const history: Translation<typeof English> = {
  title: 'Verlauf',
  lead: 'Wann der Antrag gestellt, übernommen, entschieden und ausgeführt wurde, soweit der Dienst es festhält.',
  more: 'Frühere Schritte sind ausgelassen.',
  listLabel: 'Schritte dieses Antrags',
  steps: {
    asked: (by) => `${by} hat den Antrag gestellt`,
    taken: (by) => `${by} hat es sich zugewiesen`,
    frozen: (by) => `${by} hat eine Antwort vorbereitet`,
    decided: (by, word) => `${by} ${decided(word)}`,
    voted: (by, word) => `${by} hat abgestimmt: ${voted(word)}`,
    vote_ended: (by) => (by === null ? 'Eine Stimme endete' : `Eine Stimme endete, durch ${by}`),
    approval_withdrawn: () => 'Eine Stimme wurde zurückgenommen und mit ihr die Befugnis',
    quorum_unreachable: () => 'Die offenen Plätze lassen sich nicht mehr besetzen',
    claimed: (by) => `${by} hat die Ausführung beansprucht`,
    admitted: (by) => `${by} wurde zur Ausführung zugelassen`,
    reported: (by, word) => `${by ?? 'Das ausführende Programm'} meldet: ${outcomeIn(word)}`,
    settled: (by, word) => `${by ?? 'Der Betrieb'} hat das Ergebnis geklärt: ${outcomeIn(word)}`,
    discarded: (by) =>
      by === null
        ? 'Die vertraulichen Inhalte wurden nach ihren Regeln gelöscht'
        : `${by} hat die vertraulichen Inhalte gelöscht`,
    anchor_accepted: () => 'Die Entscheidung wurde verankert',
    expiry: () => 'Eine Frist ist abgelaufen',
    reminder: () => 'Die Prüfer wurden erinnert',
    cancelled: () => 'Der Antragsteller oder der Betrieb hat den Antrag zurückgezogen',
    revoked: () => 'Die Befugnis wurde widerrufen',
    supersession: () => 'Der Antragsteller hat den Antrag durch einen anderen ersetzt',
    requester_removed: () => 'Die Person, für die der Antrag gestellt war, wurde entfernt',
    reviewer_removed: () => 'Der Prüfer wurde von der Route entfernt',
    producer_removed: () => 'Die Route lässt den Antragsteller nicht mehr zu',
    producer_authorisation_changed: () => 'Die Rechte des Antragstellers haben sich geändert',
    authorisation_changed: () => 'Die Regeln der Route haben sich geändert',
    reconciliation_due: () => 'Es wurde nicht rechtzeitig ein Ergebnis gemeldet',
  },
};
