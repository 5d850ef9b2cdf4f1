import type { Member } from '../../seal/comparison.js';
import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { sealTexts as EnglishTexts, sealWords as EnglishWords } from '../seal.js';

/** Subjects of a sentence. */
const members: Readonly<Record<Member, string>> = {
  request: 'Der Antrag',
  request_digest: 'Die Prüfsumme des Antrags',
  receipt: 'Der Beleg',
  claim: 'Die Beanspruchung der Ausführung',
  outcome: 'Das Ergebnis der Ausführung',
  decision_state: 'Der Zustand der Entscheidung',
  audit_state: 'Der Zustand der Verankerung',
  grant_state: 'Der Zustand der Befugnis',
  execution_state: 'Der Zustand der Ausführung',
};

const manifest = (ownFingerprint: boolean): string =>
  ownFingerprint
    ? 'dem Vertrauensmanifest, dessen Fingerabdruck Sie hier aufbewahren,'
    : 'dem Vertrauensmanifest, das dieser Dienst veröffentlicht,';

export const sealWords: Translation<typeof EnglishWords> = {
  unchecked: {
    word: 'Noch nicht nachgeprüft',
    says: 'Dieser Browser prüft den Nachweis gleich nach.',
  },
  checking: { word: 'Wird nachgeprüft …', says: 'Dieser Browser prüft den Nachweis nach.' },
  large: {
    word: 'Nicht nachgeprüft: groß',
    says: 'Der Nachweis hat mehr als 2 MB. Dieser Browser prüft ihn nur nach, wenn Sie es verlangen: drücken, dann „Jetzt nachprüfen“.',
  },
  incomplete: {
    word: 'Noch nicht beweisbar',
    says: 'Das Ledger hat den letzten Schritt noch nicht erfasst. Diese Seite fragt von selbst erneut.',
  },
  unanchored: {
    word: 'Noch nicht beweisbar',
    says: 'Die Entscheidung ist noch nicht verankert. Diese Seite fragt von selbst erneut.',
  },
  behind: {
    word: 'Noch nicht beweisbar',
    says: 'Der Nachweis endet vor dem Zustand auf dieser Seite. Diese Seite fragt von selbst erneut.',
  },
  verified: (ownFingerprint) => ({
    word: 'Nachgeprüft',
    says: `In diesem Browser mit ${manifest(ownFingerprint)} nachgeprüft. Genügend Ihrer Zeugen haben das Ledger wachsen sehen.`,
  }),
  alone: (ownFingerprint, hasPolicy) => ({
    word: 'Nichts schlägt fehl',
    says: `In diesem Browser mit ${manifest(ownFingerprint)} geprüft. Nur der Dienst steht für sein Ledger ein: ${
      hasPolicy
        ? 'zu wenige Ihrer Zeugen haben signiert'
        : 'nach einem Zeugen außerhalb wurde nicht gefragt'
    }.`,
  }),
  open: (says) => ({ word: 'Nicht ganz beweisbar', says }),
  unproven: (member) => ({
    word: 'Nicht ganz beweisbar',
    says: `${members[member]} auf dieser Seite steht in keinem Datensatz: Eine Wiederherstellung des Dienstes und ein Konflikt der Verankerung hinterlassen keinen.`,
  }),
  remains: {
    word: 'Gelöscht',
    says: 'Der Antrag wurde am Ende seiner Aufbewahrungsfrist gelöscht. Nur die Prüfsummen seiner Datensätze sind noch bewiesen.',
  },
  failed: (says, path) => ({
    word: 'Stimmt NICHT',
    says: `Der Nachweis schlägt fehl${path === '' ? '' : ` bei ${path}`}: ${says}`,
  }),
  differs: (member, path) => ({
    word: 'Stimmt NICHT',
    says: `${members[member]} auf dieser Seite weicht${path === '' ? '' : ` bei ${path}`} vom Nachweis ab.`,
  }),
  'another request': {
    word: 'Stimmt NICHT',
    says: 'Der Dienst hat mit dem Nachweis eines anderen Antrags geantwortet.',
  },
  'no evidence': {
    word: 'Stimmt NICHT',
    says: 'Die Antwort des Dienstes ist kein Nachweis eines Antrags.',
  },
  unavailable: (says) => ({ word: 'Nicht nachprüfbar', says }),
};

export const sealTexts: Translation<typeof EnglishTexts> = {
  deleted: 'Das private Material wurde gelöscht; seine Prüfsummen sind weiterhin signiert.',
  internal: 'Die Nachprüfung ist unerwartet abgebrochen.',
  title: 'Die Nachprüfung dieser Seite',
  verdict: 'Urteil',
  same: 'Der Antrag, die signierten Datensätze und die Zustände auf dieser Seite stehen so im Nachweis.',
  covers:
    'Das Siegel umfasst den Antrag, seine Prüfsumme, den Beleg mit Entscheidung und Prüfsumme der Antwort, Beanspruchung, Ergebnis und die vier Zustände. Namen von Personen, Zustellungen und den Verlauf umfasst es nicht.',
  sections: {
    Failed: 'Fehlgeschlagene Prüfungen',
    'What happened': 'Verlauf',
    'What vouches for it': 'Bürgen',
    Open: 'Offene Punkte',
  },
  gone: 'Gelöscht',
  keys: 'Vertrauenswürdige Schlüssel',
  fingerprint: 'Fingerabdruck des Manifests',
  checks: (amount) => `${number(amount)} Prüfungen wurden vorgenommen.`,
  again: 'Erneut nachprüfen',
  now: 'Jetzt nachprüfen',
  more: 'Für eine stärkere Nachprüfung',
  selfMade:
    'Diese Seite stammt von dem Dienst, den sie nachprüft, und kann deshalb nicht beweisen, dass er ehrlich ist. Speichern Sie den Nachweis als Seite, öffnen Sie ihn von Ihrer Festplatte, und geben Sie den Fingerabdruck ein, den Sie auf einem anderen Weg erhalten haben. Ein Prüfprogramm aus anderer Quelle nimmt dieselbe Datei.',
  own: 'Ihr Wissen aus anderer Quelle',
  ownHint: 'Es bleibt in diesem Browser, für Sie allein.',
  typed: 'Fingerabdruck des Vertrauensmanifests',
  typedHint:
    'Wörter oder Hexadezimalziffern, auf einem anderen Weg als von diesem Dienst erhalten.',
  keep: 'Aufbewahren und erneut nachprüfen',
};
