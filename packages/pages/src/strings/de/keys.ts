import type { Translation } from '../../text/translation.js';
import type { keys as English } from '../keys.js';

export const keys: Translation<typeof English> = {
  title: 'Meine Schlüssel',
  lead: 'Passkeys und Sicherheitsschlüssel, mit denen Sie Stimmen signieren, wo eine Entscheidung das verlangt. Eine Stimme in Ihrem Namen braucht dann einen davon.',
  list: 'Schlüssel',
  none: [
    'Noch kein Schlüssel',
    'Entscheidungen, die einen Schlüssel verlangen, warten auf Sie, bis Sie einen haben. Fügen Sie zwei hinzu, falls einer verloren geht.',
  ],
  one: 'Sie haben einen Schlüssel, der zählt. Fügen Sie einen zweiten hinzu, damit Sie auch ohne den ersten entscheiden können.',
  label: 'Schlüssel',
  added: 'Hinzugefügt',
  state: 'Zustand',
  kind: 'Art',
  action: 'Beenden',
  states: {
    waiting: 'Wartet',
    active: 'Zählt',
    suspended: 'Ausgesetzt',
    ended: 'Beendet',
  },
  deviceBound: 'Bleibt auf seinem Gerät',
  synced: 'Kann auf mehreren Geräten sein',
  waitsFor:
    'Er wartet auf einen Betreiber, der eine andere Person ist. Sagen Sie einem Betreiber den Namen und die Zeit, aber nicht über diesen Dienst.',
  gone: 'Sonst gelöscht',
  suspendedFor:
    'Sein Zähler ging zurück, wie bei einer Kopie. Er signiert nichts, bis ein Betreiber sich wieder für ihn verbürgt. Wenn Sie ihn nicht aus einer Sicherung geholt haben, beenden Sie ihn als kompromittiert.',
  endedFor: 'Er wird nie wieder benutzt.',

  add: 'Schlüssel hinzufügen',
  addLead:
    'Ihr Browser öffnet zweimal einen Dialog: Erst entsteht der Schlüssel, dann signiert er, dass er Ihnen gehört.',
  name: 'Name des Schlüssels',
  nameHint: 'Etwa „Laptop“ oder „Blauer Sicherheitsschlüssel“. Betreiber sehen ihn.',
  nameFault: 'Geben Sie dem Schlüssel einen Namen mit höchstens 60 Zeichen.',
  voucher: 'Wer sich für ihn verbürgt',
  byOperator: 'Ein Betreiber (er wartet)',
  byOwn: (label) => `Mein Schlüssel „${label}“ (sofort)`,
  make: 'Schlüssel anlegen …',
  making: 'Warten auf den neuen Schlüssel …',
  step: (at, of) => `Schritt ${at} von ${of}`,
  signTitle: 'Der Schlüssel ist angelegt. Jetzt signiert er',
  signLead: 'Mit dieser Signatur sagt der Schlüssel, dass er Ihnen gehört.',
  sign: 'Mit dem neuen Schlüssel signieren …',
  vouchTitle: 'Jetzt verbürgt sich Ihr anderer Schlüssel für ihn',
  vouchLead: (label) => `Ihr Schlüssel „${label}“ signiert, dass auch der neue Ihnen gehört.`,
  vouch: (label) => `Mit „${label}“ signieren …`,
  signing: 'Warten auf Ihren Schlüssel …',
  sending: 'Der Schlüssel wird gespeichert …',
  sendAgain: 'Noch einmal speichern',
  stop: 'Nicht mehr warten',
  again: 'Von vorn beginnen',
  addedWaiting: (label) => `„${label}“ wurde hinzugefügt und wartet auf einen Betreiber.`,
  addedActive: (label) => `„${label}“ wurde hinzugefügt und zählt.`,

  loginTitle: 'Ein neuer Schlüssel verlangt eine frische Anmeldung',
  loginLead:
    'Melden Sie sich noch einmal an, um sich auszuweisen. Sie kommen auf diese Seite zurück; hinzugefügt wurde noch nichts.',
  loginStill:
    'Der Identitätsanbieter hat keine frische Anmeldung gemeldet. Wenden Sie sich an seine Verwaltung, wenn das wieder geschieht.',
  login: 'Anmelden und zurückkommen',

  end: 'Beenden …',
  endLabel: (label) => `Den Schlüssel „${label}“ beenden`,
  endTitle: (label) => `„${label}“ beenden`,
  endWaiting: 'Der Schlüssel wartet und hat nichts signiert. Er ist sofort gelöscht.',
  reason: 'Grund',
  reasons: {
    replaced: [
      'Ersetzt',
      'Von jetzt an wird ein anderer benutzt. Stimmen, die mit ihm gegeben wurden, bleiben.',
    ],
    lost: [
      'Verloren',
      'Offene Stimmen mit ihm enden, und unbenutzte Befugnisse werden zurückgenommen.',
    ],
    compromised: [
      'In fremden Händen',
      'Wie bei einem verlorenen. Stimmen seit der Zeit unten zählen bei keiner Prüfung mehr.',
    ],
    left: ['Nicht mehr nötig', 'Stimmen, die mit ihm gegeben wurden, bleiben.'],
  },
  since: 'In fremden Händen seit',
  sinceHint: 'Lassen Sie das Feld leer, wenn Sie es nicht wissen.',
  sinceFault: 'Diese Zeit kommt erst noch.',
  endNow: 'Schlüssel beenden',
  endFinal: 'Ein beendeter Schlüssel wird nie wieder benutzt.',
  ended: (label) => `„${label}“ wurde beendet.`,
  keep: 'Behalten',

  signWith: 'Ihr Schlüssel',
  signHint: 'Er muss zur Hand sein. Ihr Browser fragt nach ihm, wenn Sie den Knopf drücken.',
  keysLoading: 'Ihre Schlüssel werden gesucht …',
  noKeyTitle: 'Diese Entscheidung verlangt einen Schlüssel von Ihnen',
  noKey:
    'Sie haben keinen Schlüssel, der zählt. Fügen Sie einen hinzu und kommen Sie zu diesem Antrag zurück.',
  noKeyBound:
    'Sie haben keinen Schlüssel, der hier zählt: Diese Entscheidung nimmt nur Schlüssel, die auf ihrem Gerät bleiben.',
  keyWaits: 'Ein Schlüssel von Ihnen wartet auf einen Betreiber, der eine andere Person ist.',
  toKeys: 'Meine Schlüssel',

  faults: {
    dismissed: [
      'Es wurde nichts signiert',
      'Der Dialog des Browsers wurde geschlossen, oder seine Zeit war um. Alles ist, wie es war.',
    ],
    known: [
      'Dieses Gerät hat schon einen Schlüssel von Ihnen',
      'Nehmen Sie für einen weiteren Schlüssel ein anderes Gerät.',
    ],
    unsupported: [
      'Dieses Gerät hat keinen Schlüssel, der hier geht',
      'Schlüssel müssen mit ES256 oder EdDSA signieren und Sie an PIN, Finger oder Gesicht erkennen. Nehmen Sie ein Telefon, einen Sicherheitsschlüssel oder einen anderen Browser.',
    ],
    elsewhere: [
      'Ihr Browser legt hier keine Schlüssel an',
      'Schlüssel gibt es nur an der Adresse dieses Dienstes, mit ihrem Namen. Prüfen Sie die Adresse.',
    ],
    differs: [
      'Der Dienst verlangt eine andere Signatur',
      'Signiert werden soll etwas anderes, als diese Seite zeigt. Es wurde nichts signiert. Versuchen Sie es nicht noch einmal, und melden Sie es einem Betreiber.',
    ],
    no_key: [
      'Kein Schlüssel ist gewählt',
      'Fügen Sie einen hinzu, oder warten Sie, bis Ihrer zählt.',
    ],
  },
  problems: {
    offer_expired: [
      'Die Zeit zum Signieren ist um',
      'Es wurde nichts aufgezeichnet. Drücken Sie den Knopf noch einmal, dann werden Sie wieder gefragt.',
    ],
    invalid_assertion: [
      'Der Dienst hat die Signatur nicht angenommen',
      'Versuchen Sie es noch einmal mit demselben Schlüssel. Geschieht es wieder, sehen Sie unter „Meine Schlüssel“ nach: Er kann ausgesetzt sein.',
    ],
    identity_conflict: [
      'Dieser Schlüssel ist schon bekannt',
      'Ein Schlüssel gehört einer Person und wird einmal hinzugefügt. Nehmen Sie einen anderen.',
    ],
    credential_unavailable: [
      'Mehr Schlüssel sind nicht möglich',
      'Höchstens fünf zählen, und fünf warten. Beenden Sie zuerst einen.',
    ],
    human_key_required: [
      'Dieser Schlüssel zählt nicht',
      'Sehen Sie unter „Meine Schlüssel“ nach: Er kann warten, ausgesetzt oder beendet sein.',
    ],
  },
};
