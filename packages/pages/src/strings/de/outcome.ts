import type { Translation } from '../../text/translation.js';
import type { outcome as English } from '../outcome.js';

export const outcome: Translation<typeof English> = {
  receipt: 'Beleg',
  decidedByOther: 'Von einer anderen Person entschieden',
  decidedBySeveral: 'Von mehreren Personen entschieden',
  decidedBy: 'Entschieden von',
  lastVoteBy: 'Letzte Stimme von',
  decidedAt: 'Bestätigt',
  signedBy: 'Signiert von',
  key: 'Schlüssel',
  saveReceipt: 'Signierten Datensatz speichern',
  print: 'Drucken',
  next_: 'Wie es weitergeht',
  afterReview: 'Der Antragsteller liest die signierte Antwort. Sie müssen nichts weiter tun.',
  afterAuthorise:
    'Wenn die Entscheidung verankert ist, darf der Antragsteller die Ausführung einmal beanspruchen, innerhalb ihrer Zeit.',
  afterReviewByOther: 'Der Antragsteller liest die signierte Antwort.',
  afterRefuse: 'Nichts wird ausgeführt. Der Antragsteller sieht, dass Sie abgelehnt haben.',
  afterRefuseBy: (reviewer) =>
    `Nichts wird ausgeführt. Der Antragsteller sieht, dass ${reviewer} abgelehnt hat.`,
  audit: 'Ledger',
  grant: 'Befugnis',
  execution: 'Ausführung',
  grantUntil: 'Offen bis',
  outcome: 'Gemeldet',
  live: 'Dies aktualisiert sich von selbst.',
  stale: 'Der Stand konnte nicht aktualisiert werden; es wird erneut versucht.',
};
