import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { shared as English } from '../shared.js';

export const shared: Translation<typeof English> = {
  brand: 'Countersign',
  loading: 'Wird geladen …',
  close: 'Schließen',
  tryAgain: 'Erneut versuchen',
  showMore: 'Mehr anzeigen',
  showLocalTime: 'In Ihrer Zeitzone anzeigen',
  keys: 'Tastenkürzel',
  navigation: 'Seiten',
  inbox: 'Eingang',
  operator: 'Betrieb',
  securityLog: 'Sicherheitsprotokoll',
  auditor: 'Nachprüfung',
  signedInAs: 'Angemeldet als',
  inTenant: 'beim Mandanten',
  switchTenant: 'Mandanten wechseln',
  notifications: 'Benachrichtigungen',
  mySessions: 'Meine Sitzungen',
  myKeys: 'Meine Schlüssel',
  language: 'Sprache',
  theme: 'Farben',
  themes: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
  signOut: 'Abmelden',
  switchPerson: 'Als andere Person anmelden',
  signIn: 'Wieder anmelden',
  skip: 'Zum Inhalt',
  sessionOver:
    'Ihre Sitzung ist beendet. Ihr Entwurf bleibt in diesem Browser; melden Sie sich wieder an, um fortzufahren.',
  sessionOther: (name, tenant) =>
    `In diesem Browser hat sich inzwischen ${name} beim Mandanten ${tenant} angemeldet. Diese Seite wurde für eine andere Person geöffnet und ist nicht mehr benutzbar.`,
  goOnAs: (name) => `Als ${name} fortfahren`,
  offline: 'Sie sind offline. Diese Seite ist möglicherweise nicht aktuell.',
  unanswered:
    'Der Dienst hat nicht geantwortet. Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  refusedWith: (code, trace) => (trace === '' ? code : `${code} · Ablauf ${trace}`),
  retryIn: (seconds) => `Versuchen Sie es in ${seconds} Sekunden erneut.`,
  required: 'erforderlich',
  evidence: 'Nachweis',
  evidencePage: 'Nachweis als Seite',
  evidenceJson: 'Nachweis als JSON',
  evidenceHint:
    'Eine Datei, die sich ohne Netz öffnen und nachprüfen lässt. Sie enthält auch die vertraulichen Inhalte.',
  evidenceWaits: 'Das Ledger schreibt noch die letzten Einträge. Das dauert einige Sekunden.',
  more: (amount) => `… ${number(amount)} weitere Zeichen`,
};
