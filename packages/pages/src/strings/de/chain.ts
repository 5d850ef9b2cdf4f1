import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { ChainWords, chainWords as English } from '../chain.js';

export const chainWords: Translation<typeof English> = {
  verifyAgain: 'Erneut nachprüfen',
  stop: 'Anhalten',
  progress: (entries, rate) => `${entries} Einträge nachgeprüft, ${rate} je Sekunde`,
  verifying: 'Wird nachgeprüft',
  failsWhat: (sequence) => `Eintrag ${sequence} ist der erste, der nicht stimmt:`,
  failsNext:
    'Frühere Einträge stimmen; spätere beweisen nichts. Sichern Sie diese Datenbank, den Speicher der Verankerung und die Protokolle, und vergleichen Sie mit Ihrer eigenen Kopie.',
  stopped: 'Angehalten',
  stoppedWhat: (entries) =>
    `Die ersten ${entries} Einträge stimmen. Der Rest wurde nicht nachgeprüft.`,
  entry: 'Eintrag',
  head: 'Kopf',
  broken: 'Die Nachprüfung konnte nicht fortgesetzt werden',
  showEntry: (entry) => `Eintrag ${entry} anzeigen`,
};

export const ledgerWords: ChainWords = {
  verify: 'Das ganze Ledger nachprüfen',
  holds: 'Das Ledger stimmt',
  holdsWhat: (entries, records) =>
    `${entries} Einträge folgen lückenlos aufeinander. ${records} Datensätze passen zu ihren verketteten Prüfsummen, und ihre Signaturen sind gültig.`,
  beside: (entries, records) =>
    records < entries
      ? `Die Texte von ${number(entries - records)} Einträgen wurden nach den Aufbewahrungsregeln gelöscht; ihre Prüfsummen bleiben in der Kette.`
      : null,
  empty: 'Das Ledger ist leer.',
  fails: 'Das Ledger stimmt NICHT',
  headHint:
    'Vergleichen Sie ihn mit dem Prüfpunkt derselben Nummer in Ihrem Speicher der Verankerung. Nur das zeigt, dass die Kette nicht gekürzt oder im Ganzen neu geschrieben wurde.',
};

export const logWords: ChainWords = {
  verify: 'Das ganze Protokoll nachprüfen',
  holds: 'Das Sicherheitsprotokoll stimmt',
  holdsWhat: (entries, checkpoints) =>
    `${entries} Einträge folgen lückenlos aufeinander. ${checkpoints} Prüfpunkte passen zur Kette, und ihre Signaturen sind gültig.`,
  beside: (_, checkpoints) =>
    checkpoints === 0
      ? 'Es gibt noch keinen Prüfpunkt; keine Signatur zeigt also, dass das Protokoll nicht neu geschrieben wurde. Der erste folgt innerhalb von Minuten.'
      : null,
  empty: 'Das Sicherheitsprotokoll ist leer.',
  fails: 'Das Sicherheitsprotokoll stimmt NICHT',
  headHint:
    'Einträge nach dem letzten Prüfpunkt sind noch nicht signiert. Vergleichen Sie die Prüfpunkte mit „countersign verify“ und der JSON-Datei mit Ihrem Speicher der Verankerung. Nur das zeigt, dass das Protokoll nicht gekürzt oder im Ganzen neu geschrieben wurde.',
};
