import type { Translation } from '../../text/translation.js';
import type { custody as English } from '../custody.js';

export const custody: Translation<typeof English> = {
  title: 'Verwahrung',
  lead: 'Eine Verwahrung erhält die Daten von Anfragen über die Zeit hinaus, zu der sie gelöscht würden. Für andere ändert sich nichts, und jeder Export von hier steht im Sicherheitsprotokoll.',
  none: ['Keine Verwahrungen', 'Hier steht jede Verwahrung, die jemand angeordnet hat.'],
  inForce: 'in Kraft',
  lifted: 'aufgehoben',
  ranOut: 'abgelaufen',
  until: 'Verwahrt bis',
  setBy: 'Angeordnet von',
  liftedBy: 'Aufgehoben von',
  id: 'Kennung',
  requests: 'Anfragen',
  request: 'Anfrage',
  deleted: 'Inzwischen gelöscht',
  export: 'Exportdatei',
  save: 'Speichern',
  exportOf: (id) => `Den Export der Anfrage ${id} speichern`,
  readings: (count) =>
    count === 1 ? 'Ein Export wurde gelesen' : `${count} Exporte wurden gelesen`,
  noReadings: 'Noch niemand hat eine Anfrage dieser Verwahrung gelesen.',
  readingsOf: 'Gelesene Exporte',
  reader: 'Verwahrer',
  at: 'Wann',
  set: 'Verwahrung anordnen',
  grow: 'Um Anfragen oder Zeit erweitern',
  reference: 'Zeichen',
  referenceHint: 'Etwa ein Aktenzeichen. Es bleibt für immer im Ledger.',
  untilHint:
    'Bis zum Ende dieses Tages in UTC, höchstens fünf Jahre. Das Ende kann später werden, nie früher.',
  moreRequests: 'Weitere Anfragen',
  requestsHint: 'Kennungen von Anfragen oder die Adressen ihrer Seiten, höchstens 200.',
  beforeSet: 'Vor dem Anordnen ansehen',
  setNow: 'Anordnen',
  setEffect: (count, day) =>
    `${count === 1 ? 'Eine Anfrage wird' : `${count} Anfragen werden`} bis ${day} verwahrt. Aufheben können Sie das nicht selbst: Das muss jemand anders tun.`,
  saidSet: (reference, count) =>
    `Die Verwahrung ${reference} ist für ${count === 1 ? 'eine Anfrage' : `${count} Anfragen`} in Kraft.`,
  lift: 'Verwahrung aufheben',
  yours: 'Sie haben diese Verwahrung angeordnet. Aufheben muss sie jemand anders.',
  reason: 'Grund',
  reasonHint: 'Er steht dann im Sicherheitsprotokoll.',
  reasonMissing: 'Sagen Sie, warum die Verwahrung endet.',
  beforeLift: 'Vor dem Aufheben ansehen',
  liftNow: 'Aufheben',
  liftEffect: (setBy) =>
    `${setBy} hat diese Verwahrung angeordnet. Ist sie aufgehoben, wird alles gelöscht, was fällig ist, und nichts bringt es zurück.`,
  saidLifted: (reference) => `Die Verwahrung ${reference} ist aufgehoben.`,
  faults: {
    missing: 'Hier fehlt etwas.',
    earlier: 'Eine Verwahrung in Kraft endet nicht früher.',
    none: 'Nennen Sie mindestens eine Anfrage.',
    many: 'Höchstens 200 Anfragen. Ordnen Sie für den Rest eine zweite Verwahrung an.',
  },
};
