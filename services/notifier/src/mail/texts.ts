import type { MailLanguage, NotificationPreferences } from '@countersign/protocol';

interface MailTexts {
  /** By the reason of an event. */
  readonly subjects: Readonly<Record<string, string>>;
  readonly changed: string;
  readonly request: string;
  readonly summary: string;
  readonly deadline: string;
  readonly note: string;
  readonly digest: (waiting: string) => string;
  readonly oneWaits: string;
  readonly others: (left: string) => string;
  readonly atLeast: (many: string) => string;
  readonly inbox: string;
}

const en: MailTexts = {
  subjects: {
    created: 'A review is waiting for you',
    reminder: 'Reminder: a review is waiting for you',
    approval: 'A review is waiting for you, after others have agreed',
    decision: 'Your request was decided',
    anchor_accepted: 'Your request may be executed',
    material_deleted: 'The private material of your request was deleted',
    reconciliation_due: 'An execution has not told its outcome and must be reconciled',
  },
  changed: 'Your request has changed',
  request: 'Request',
  summary: 'Summary',
  deadline: 'Deadline',
  note: 'This mail cannot approve anything: decisions are made on the page, after login.',
  digest: (waiting) => `${waiting} reviews are waiting for you`,
  oneWaits: 'One review is waiting for you',
  others: (left) => `And ${left} more in the inbox:`,
  atLeast: (many) => `At least ${many}`,
  inbox: 'Inbox',
};

const de: MailTexts = {
  subjects: {
    created: 'Eine Prüfung wartet auf Sie',
    reminder: 'Erinnerung: Eine Prüfung wartet auf Sie',
    approval: 'Eine Prüfung wartet auf Sie, nachdem andere zugestimmt haben',
    decision: 'Über Ihren Antrag wurde entschieden',
    anchor_accepted: 'Ihr Antrag darf ausgeführt werden',
    material_deleted: 'Das private Material Ihres Antrags wurde gelöscht',
    reconciliation_due: 'Eine Ausführung hat ihr Ergebnis nicht gemeldet und muss geklärt werden',
  },
  changed: 'Ihr Antrag hat sich geändert',
  request: 'Antrag',
  summary: 'Zusammenfassung',
  deadline: 'Frist',
  note: 'Mit dieser E-Mail kann nichts genehmigt werden: Entschieden wird auf der Seite, nach der Anmeldung.',
  digest: (waiting) => `${waiting} Prüfungen warten auf Sie`,
  oneWaits: 'Eine Prüfung wartet auf Sie',
  others: (left) => `Und ${left} weitere im Eingang:`,
  atLeast: (many) => `Mindestens ${many}`,
  inbox: 'Eingang',
};

const TEXTS: Readonly<Record<MailLanguage, MailTexts>> = { en, de };
const LOCALES: Readonly<Record<MailLanguage, string>> = { en: 'en-GB', de: 'de-DE' };

/** The texts and the forms of one reader's mails: English and ISO times for one who never chose. */
export function wordsFor(preferences: NotificationPreferences | null) {
  const language = preferences?.language ?? 'en';
  return {
    language,
    texts: TEXTS[language],
    number: (value: number) => value.toLocaleString(LOCALES[language]),
    /** Of an ISO time. */
    time(text: string): string {
      if (preferences === null) return text;
      const { time_zone: timeZone } = preferences;
      const form = { dateStyle: 'full', timeStyle: 'short', timeZone } as const;
      const local = new Intl.DateTimeFormat(LOCALES[language], form).format(Date.parse(text));
      return `${local} (${timeZone})`;
    },
  };
}
