import type {
  auditWords as EnglishAudits,
  decisionNames as EnglishNames,
  decisionWords as EnglishDecisions,
  executionWords as EnglishExecutions,
  grantWords as EnglishGrants,
} from '../states.js';

export const decisionWords: typeof EnglishDecisions = {
  pending: { word: 'Wartet', tone: 'accent', meaning: 'Es gibt noch keine Entscheidung.' },
  confirmed: {
    word: 'Entschieden',
    tone: 'good',
    meaning: 'Ein Prüfer hat eine Antwort bestätigt.',
  },
  cancelled: {
    word: 'Zurückgezogen',
    tone: 'neutral',
    meaning: 'Der Antrag wurde vor einer Entscheidung zurückgezogen.',
  },
  expired: {
    word: 'Abgelaufen',
    tone: 'neutral',
    meaning: 'Es gab keine rechtzeitige Entscheidung.',
  },
  superseded: {
    word: 'Ersetzt',
    tone: 'neutral',
    meaning: 'Der Antragsteller hat diesen Antrag durch einen neueren ersetzt.',
  },
};

export const auditWords: typeof EnglishAudits = {
  unanchored: {
    word: 'Nicht erfasst',
    tone: 'neutral',
    meaning: 'Es gibt keine Entscheidung zu erfassen.',
  },
  pending: {
    word: 'Wird verankert',
    tone: 'accent',
    meaning:
      'Die signierte Entscheidung wird in das Ledger und seine unabhängige Verankerung geschrieben.',
  },
  anchored: {
    word: 'Verankert',
    tone: 'good',
    meaning: 'Ein unabhängiger Speicher hält einen Prüfpunkt, der die Entscheidung einschließt.',
  },
  conflict: {
    word: 'Widerspruch im Ledger',
    tone: 'bad',
    meaning:
      'Der Speicher der Verankerung und das Ledger widersprechen sich. Nichts wird ausgeführt, bis der Betrieb das geklärt hat.',
  },
};

export const grantWords: typeof EnglishGrants = {
  not_applicable: {
    word: 'Keine Ausführung',
    tone: 'neutral',
    meaning: 'Dies ist nur eine Prüfung.',
  },
  none: { word: 'Keine Befugnis', tone: 'neutral', meaning: 'Nichts darf ausgeführt werden.' },
  pending_anchor: {
    word: 'Befugnis ausstehend',
    tone: 'accent',
    meaning: 'Die Befugnis öffnet sich, sobald die Entscheidung verankert ist. Ihre Zeit läuft.',
  },
  available: {
    word: 'Befugnis offen',
    tone: 'accent',
    meaning: 'Der Antragsteller darf die Ausführung einmal beanspruchen.',
  },
  expired: {
    word: 'Befugnis abgelaufen',
    tone: 'neutral',
    meaning: 'Sie wurde nicht rechtzeitig beansprucht.',
  },
  revoked: {
    word: 'Befugnis widerrufen',
    tone: 'warning',
    meaning: 'Sie kann nicht mehr beansprucht werden.',
  },
  consumed: {
    word: 'Befugnis verbraucht',
    tone: 'good',
    meaning: 'Die eine Ausführung wurde beansprucht. Ein zweites Mal ist nicht möglich.',
  },
};

export const executionWords: typeof EnglishExecutions = {
  not_applicable: {
    word: 'Keine Ausführung',
    tone: 'neutral',
    meaning: 'Dies ist nur eine Prüfung.',
  },
  unclaimed: { word: 'Nicht begonnen', tone: 'neutral', meaning: 'Nichts wurde ausgeführt.' },
  claimed: {
    word: 'Beansprucht',
    tone: 'accent',
    meaning: 'Ein Programm hat die Ausführung beansprucht.',
  },
  admitted: {
    word: 'Läuft',
    tone: 'accent',
    meaning: 'Das ausführende Programm wurde zugelassen.',
  },
  completed: {
    word: 'Ausgeführt',
    tone: 'good',
    meaning: 'Das ausführende Programm meldet Erfolg.',
  },
  failed: {
    word: 'Fehlgeschlagen',
    tone: 'bad',
    meaning: 'Das ausführende Programm meldet einen Fehlschlag.',
  },
  failed_partial: {
    word: 'Teilweise fehlgeschlagen',
    tone: 'bad',
    meaning: 'Das ausführende Programm meldet, dass ein Teil gewirkt hat.',
  },
  uncertain: {
    word: 'Ungewiss',
    tone: 'warning',
    meaning: 'Es ist nicht bekannt, ob die Ausführung gewirkt hat. Der Betrieb muss das klären.',
  },
  cancelled_before_dispatch: {
    word: 'Nicht ausgeführt',
    tone: 'neutral',
    meaning: 'Das ausführende Programm hat angehalten, bevor etwas wirkte.',
  },
  abandoned: {
    word: 'Aufgegeben',
    tone: 'neutral',
    meaning: 'Der Betrieb hat die Ausführung abgeschlossen.',
  },
};

export const decisionNames: typeof EnglishNames = {
  answer: { word: 'Antworten', doing: 'Geantwortet', tone: 'good' },
  approve: { word: 'Zustimmen', doing: 'Zugestimmt', tone: 'good' },
  reject: { word: 'Zurückweisen', doing: 'Zurückgewiesen', tone: 'bad' },
  authorise: { word: 'Ausführung freigeben', doing: 'Freigegeben', tone: 'good' },
  refuse: { word: 'Ausführung ablehnen', doing: 'Abgelehnt', tone: 'bad' },
};
