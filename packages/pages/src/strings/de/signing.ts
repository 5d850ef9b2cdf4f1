import type { Translation } from '../../text/translation.js';
import type { signing as English } from '../signing.js';

export const signing: Translation<typeof English> = {
  youDo: {
    authorise: 'Sie geben frei:',
    refuse: 'Sie lehnen ab:',
    approve: 'Sie stimmen zu:',
    reject: 'Sie weisen zurück:',
    answer: 'Sie antworten auf:',
  },
  quotes: ['„', '“'],
  youAskedBy: ', gestellt von',
  youOnRoute: ', auf der Route',
  youOnce: '. Die Ausführung darf einmal laufen, bis',
  youNothing: '. Nichts wird ausgeführt.',
  panelProof: 'Beweis: alles, was signiert wird',
  panelAnswer: 'Ihre Antwort',
  panelTitle: 'Lesen Sie genau den Text, der signiert wird',
  panelLead:
    'Diese Antwort ist eingefroren. Mit der Bestätigung wird alles signiert; das lässt sich nicht rückgängig machen.',
  panelDecision: 'Entscheidung',
  panelCanonical: 'Kanonischer Text',
  panelWhole: 'Technische Einzelheiten',
  panelSource: 'Herkunft',
  sourceForm: 'das Formular auf dieser Seite',
  sourceEarlier: 'ein früherer Besuch von Ihnen oder ein anderer Tab',
  sourceApp: (publisher) => `die App von ${publisher}`,
  panelRead: 'Ich habe die eingefrorene Antwort oben gelesen, und sie ist meine Entscheidung.',
  panelUnread: 'Rollen Sie zuerst bis zum Ende Ihrer Antwort.',
  confirm: 'Bestätigen und signieren',
  confirming: 'Wird signiert …',
  dismiss: 'Zurück zur Antwort',
  needsActivation: 'Nur eine Person kann bestätigen. Drücken Sie die Taste selbst.',
  stepUpTitle: 'Diese Route verlangt eine frische Anmeldung',
  stepUp:
    'Melden Sie sich noch einmal an, um Ihre Identität zu bestätigen. Die eingefrorene Antwort bleibt unverändert, und Sie kommen auf diese Seite zurück.',
  stepUpAhead: 'Um auf dieser Route zu bestätigen, werden Sie sich noch einmal anmelden müssen.',
  stepUpGo: 'Anmelden und zurückkommen',
  stepUpStill:
    'Der Anmeldedienst hat keine Anmeldung gemeldet, die frisch oder stark genug ist. Wenden Sie sich an dessen Verwaltung.',
  unsureTitle: 'Es ist noch nicht bekannt, ob Ihre Entscheidung erfasst wurde',
  unsure:
    'Die Antwort auf Ihre Bestätigung ging verloren. Derselbe Aufruf wird mit demselben Schlüssel wiederholt, bis der Dienst antwortet. Die Wiederholung entscheidet nie zweimal.',
  askAgain: 'Jetzt wiederholen',
  unsureOver: (tries) => `Bisher ${tries}-mal versucht.`,
};
