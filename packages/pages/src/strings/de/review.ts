import { number } from '../../text/locale.js';
import { sizeInWords } from '../../text/size.js';
import type { Translation } from '../../text/translation.js';
import type { review as English } from '../review.js';

export const review: Translation<typeof English> = {
  queue: 'Die Liste der Anträge',
  backToList: 'Zurück zur Liste',
  placeOf: (at, of) => `${number(at)} von ${number(of)}`,
  previousRequest: 'Voriger',
  nextRequest: 'Nächster',
  nextIs: 'Als Nächstes:',
  leftIn: (span) => `(noch ${span})`,
  listDone: 'Das war der letzte offene Antrag der Liste.',
  keysTitle: 'Tastenkürzel',
  keys: [
    ['j k', 'Nächster oder voriger Antrag der Liste'],
    ['n', 'Nächster Antrag, der noch offen ist'],
    ['u', 'Zurück zur Liste'],
    ['d', 'Zur Entscheidung'],
    ['e', 'Leseansicht oder genauer Text'],
    ['Ctrl-Enter', 'Im Formular: prüfen und signieren'],
    ['?', 'Diese Liste'],
  ],

  layout: 'Anordnung',
  below: 'Untereinander',
  beside: 'Nebeneinander',
  app: 'App',
  besideDocument: 'Neben dem Dokument',
  widthOfDocument: 'Breite des Dokuments',
  widthOfDecision: 'Breite der Entscheidung',

  loadingStatus: 'Der Antrag wird geladen …',
  loadingMaterial: 'Der Inhalt wird geladen und geprüft …',
  purposeReview: 'Prüfung',
  purposeExecution: 'Freigabe einer Ausführung',
  asks: 'fragt',
  onBehalf: 'im Auftrag von',

  askedBy: 'Gestellt von',
  requester: 'Im Auftrag von',
  route: 'Route',
  routeRevision: (revision) => `Revision ${revision}`,
  received: 'Eingegangen',
  deadline: 'Zu entscheiden bis',
  deadlineWas: 'Frist',
  action: 'Aktion',
  mode: 'Betriebsart',
  modes: {
    live_window: 'live: im offenen Zeitfenster',
    durable: 'dauerhaft: später, innerhalb ihrer Zeit',
    fixed_mock: 'Probe: nichts geschieht wirklich',
  },
  policy: 'Richtlinie',
  policyRevision: 'Revision',
  validUntil: 'Darf laufen bis',
  runsFor: 'Läuft höchstens',
  seconds: (amount) => `${number(amount)} Sekunden`,
  artefact: 'Artefakt',
  supersedes: 'Ersetzt',
  requestId: 'Antrag',
  requestDigest: 'Prüfsumme des Antrags',
  metadata: 'Metadaten',
  technical: 'Kennungen und Prüfsummen',
  digestRules: (representation, rules) => `${representation}, nach ${rules}`,

  document: 'Dokument',
  documentViews: 'Ansichten des Dokuments',
  readingView: 'Leseansicht',
  exactText: 'Genauer Text',
  readingLead:
    'Aus dem genauen Text gesetzt, um den es bei der Entscheidung geht. Links führen hier nirgendwohin. Taste e zeigt den genauen Text.',
  hiddenCharacters: (amount) =>
    amount === 1
      ? '1 verborgenes Zeichen: Lesen Sie den genauen Text'
      : `${number(amount)} verborgene Zeichen: Lesen Sie den genauen Text`,
  tableInDocument: 'Tabelle des Dokuments',
  exactInDocument: 'Teil des Dokuments, wie er im Text steht',
  imageNamed: 'Bild, nicht geladen:',
  done: 'Erledigt',
  open: 'Offen',
  payloadViews: 'Ansichten der Nutzdaten',
  allData: 'Alle Daten',
  tableOf: (name, rows) => `${name} (${number(rows)})`,
  tableNamed: (path) => (path === '' ? 'Nutzdaten als Tabelle' : `${path} als Tabelle`),
  searchTable: 'Tabelle durchsuchen',
  columnKeys:
    'Sortieren. Ziehen Sie den Rand, oder drücken Sie Umschalt und eine Pfeiltaste, um die Breite zu ändern.',
  found: (amount) => (amount === 1 ? '1 Zeile' : `${number(amount)} Zeilen`),
  rowNumber: 'Zeile',
  sum: 'Σ',
  documentText: 'Text des Dokuments',
  documentLead:
    'Der genaue Text, um den es bei der Entscheidung geht. Unsichtbare Zeichen sind markiert.',
  digest: 'Prüfsumme',
  digestMatches: 'hier neu berechnet: stimmt überein',
  digestDiffers: 'hier neu berechnet: STIMMT NICHT ÜBEREIN',
  differsTitle: 'Dieser Inhalt passt nicht zum Antrag',
  differs:
    'Eine Prüfsumme, die dieser Browser berechnet hat, weicht von der im Antrag ab. Entscheiden Sie nicht; informieren Sie den Betrieb.',
  saveDocument: 'Genauen Text speichern',
  searchDocument: 'Dokument durchsuchen',
  payload: 'Nutzdaten',
  payloadLead: (bytes) =>
    `Die Daten dahinter, ${sizeInWords(bytes)}. Pfeiltasten bewegen und öffnen; jeder Wert wird als Daten gezeigt, nie als Auszeichnung.`,
  savePayload: 'Als JSON speichern',
  searchPayload: 'Nutzdaten durchsuchen',
  matches: (at, all) =>
    all === 0 ? 'Kein Treffer' : `${number(at)} von ${all >= 10_000 ? 'vielen' : number(all)}`,
  previous: 'Zurück',
  next: 'Weiter',
  members: (amount) => (amount === 1 ? '1 Element' : `${number(amount)} Elemente`),
  items: (amount) => (amount === 1 ? '1 Eintrag' : `${number(amount)} Einträge`),
  group: 'Teil der Liste',
  moreCharacters: (amount) => `… ${number(amount)} weitere Zeichen`,

  toDecision: 'Zur Entscheidung',
  readOnly: 'Sie können dies lesen, aber nicht entscheiden',
  reviewersOf: (route, people) => `Es entscheiden die Prüfer der Route ${route}: ${people}.`,
  noReviewers: (route) =>
    `Die Route ${route} hat keine Prüfer. Fügen Sie einen hinzu, damit entschieden werden kann.`,
  toOperator: 'Auf der Seite des Betriebs öffnen',
  yourAnswer: 'Ihre Entscheidung',
  steps: ['Antworten', 'Lesen', 'Bestätigen'],
  progress: 'Schritte',
  decision: 'Entscheidung',
  decisionHints: {
    answer: 'Geben Sie unten die Antwort.',
    approve: 'Dem Antrag zustimmen.',
    reject: 'Nicht zustimmen.',
    refuse: 'Nichts wird ausgeführt.',
    authorise: 'Der Antragsteller darf genau dies ausführen, einmal.',
  },
  questionsBy: (producer) => `Fragen von ${producer}`,
  nothingToFill: 'Nur die Entscheidung ist erforderlich.',
  asForm: 'Formular ausfüllen',
  asJson: 'JSON eingeben',
  jsonLabel: 'Antwort als JSON',
  jsonHint: 'Die ganze Antwort. Der Dienst prüft sie gegen das Schema.',
  responseSchema: 'Antwortschema',
  propose: 'Prüfen und signieren …',
  proposeHint:
    'Noch ist nichts entschieden. Als Nächstes lesen Sie genau den Text, der signiert wird.',
  draftKept: 'Ihr Entwurf bleibt in diesem Browser, bis Sie entscheiden oder sich abmelden.',
  draftTaken: 'Aus Ihrem früheren Entwurf wiederhergestellt.',
  draftCarried:
    'Die Felder enthalten Ihren Entwurf für den früheren Antrag: Die Fragen sind dieselben. Wählen Sie die Entscheidung erneut.',
  chooseFirst: 'Wählen Sie zuerst eine Entscheidung.',
  preparing: 'Wird vorbereitet …',
  mismatch:
    'Der Dienst hat etwas anderes eingefroren als Ihren Vorschlag. Es kann hier nicht bestätigt werden; informieren Sie den Betrieb.',
  unansweredProposal:
    'Der Dienst hat nicht geantwortet; es ist also nicht bekannt, ob er Ihre Antwort hat. Ihre Antwort ist noch hier; versuchen Sie es erneut.',

  faultsTitle: (amount) =>
    amount === 1
      ? 'Ein Feld braucht Ihre Aufmerksamkeit:'
      : `${number(amount)} Felder brauchen Ihre Aufmerksamkeit:`,
  details: 'Einzelheiten des Antrags',
  runs: (seconds) => `läuft höchstens ${number(seconds)} s`,
  panelResponse: 'Antwort',
  panelCandidateDigest: 'Prüfsumme der eingefrorenen Antwort',
  panelResponseDigest: 'Prüfsumme der Antwort',

  happened: 'Der Dienst bestätigt, dass sie erfasst wurde.',

  changedTitle: 'Die eingefrorene Antwort hat sich geändert',
  changed:
    'Sie haben inzwischen eine neuere Antwort eingefroren, vielleicht in einem anderen Tab. Nichts wurde signiert. Jetzt wird die neueste gezeigt; lesen Sie sie erneut.',
  endedTitles: {
    confirmed: 'Inzwischen entschieden',
    cancelled: 'Inzwischen zurückgezogen',
    expired: 'Die Frist ist abgelaufen',
    superseded: 'Inzwischen ersetzt',
  },
  endedConfirmed: (reviewer, decision) =>
    `${reviewer} hat entschieden: ${decision}. Ihre Antwort wurde nicht signiert.`,
  endedOther: 'Es kann nicht mehr entschieden werden. Ihre Antwort wurde nicht signiert.',
  draftAnyway: 'Ihr Entwurf',

  take: 'Mir zuweisen',
  taken: 'Ihnen zugewiesen',
  takenUntil: 'Andere Prüfer sehen, dass Sie daran arbeiten. Sie können trotzdem entscheiden.',
  takenByOther: 'Ein anderer Prüfer prüft es gerade',

  notPrinted:
    'Das Dokument ist zu lang, um es hier zu drucken; seine Prüfsumme oben bezeichnet es eindeutig.',
  materialGone: 'Die vertraulichen Inhalte dieses Antrags wurden nach ihren Regeln gelöscht.',
  materialGoneLead: 'Prüfsummen und die signierten Datensätze bleiben.',
};
