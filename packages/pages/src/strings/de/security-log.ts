import type { Translation } from '../../text/translation.js';
import type { securityLog as English } from '../security-log.js';

export const securityLog: Translation<typeof English> = {
  title: 'Sicherheitsprotokoll',
  lead: 'Wer sich angemeldet, vertrauliche Inhalte gelesen und bei Ihrem Mandanten etwas geändert hat, Neuestes zuerst.',
  entry: 'Eintrag',
  what: 'Ereignis',
  anyKind: 'Jedes Ereignis',
  actor: 'Handelnder',
  subject: 'Gegenstand',
  request: 'Antrag',
  requestHint: 'Die ganze Kennung eines Antrags, in Kleinbuchstaben',
  when: 'Zeitpunkt',
  source: 'Erfasst von',
  verified: 'Nachgeprüft',
  head: 'Kopf',
  previousHead: 'Voriger Kopf',
  noneFits: ['Kein Eintrag passt', 'Ändern Sie die Filter.'],
  empty: [
    'Es ist noch nichts erfasst',
    'Anmeldungen, das Lesen privaten Materials und Änderungen werden hier erfasst.',
  ],
  yes: 'ja',
  no: 'nein',
  entryTitle: (sequence, says) => `Eintrag ${sequence}: ${says}`,
  more: {
    actor: 'Alles von diesem Handelnden',
    subject: 'Alles zu diesem Gegenstand',
    request: 'Alles zu diesem Antrag',
  },
  actorKinds: {
    human: 'Person',
    operator: 'Betrieb mit Zugangstoken',
    auditor: 'Revision',
    producer: 'Antragsteller',
    command: 'Login der Datenbank',
  },
  sources: {
    gateway: 'dem Gateway',
    request: 'dem Dienst für Anträge',
    ledger: 'dem Dienst für das Ledger',
    command: 'einem Befehl mit Zugang zur Datenbank',
  },
  details: {
    acr: 'Stärke der Anmeldung (acr)',
    after: 'Konfiguration danach, Prüfsumme',
    as: 'Gelesen als',
    before: 'Konfiguration davor, Prüfsumme',
    changed: 'Geänderte Elemente',
    created: 'Angelegt',
    entries: 'Einträge in der Datei',
    filters: 'Gesucht nach',
    format: 'Dateiformat',
    how: 'Wie',
    kind: 'Art',
    material: 'Mit vertraulichen Inhalten',
    reason: 'Begründung',
    replaced: 'Ersetzt eine andere Sitzung',
    request_digest: 'Prüfsumme des Antrags',
    requests_affected: 'Betroffene Anträge',
    retired: 'Altes Token beendet',
    revision: 'Revision',
    session: 'Sitzung',
    token_changed: 'Token geändert',
  },
  endings: {
    ended_by_person: 'Die Person hat sie auf der Seite der Sitzungen beendet',
    expired: 'Sie ist abgelaufen',
    identity_provider: 'Der Anmeldedienst hat sie beendet',
    logout: 'Die Person hat sich abgemeldet',
    principal_changed:
      'Die Person wurde gesperrt oder entsperrt, oder der Betrieb hat alle Sitzungen beendet',
    replaced: 'Eine andere Anmeldung im selben Browser hat sie ersetzt',
  },
  states: {
    covered: 'Unter einem Prüfpunkt',
    chained: 'In der Kette',
    open: 'Nicht nachgeprüft',
    other: 'Weicht vom nachgeprüften Eintrag ab',
  },
  stateHints: {
    covered:
      'Diese Seite hat die Kette bis hierher nachgeprüft, und ein signierter Prüfpunkt erfasst den Eintrag.',
    chained:
      'Diese Seite hat die Kette bis hierher nachgeprüft. Noch erfasst kein Prüfpunkt den Eintrag.',
    open: 'Diese Seite hat den Eintrag nicht nachgeprüft. Prüfen Sie zuerst das ganze Protokoll nach.',
    other:
      'Der Dienst zeigt einen anderen Eintrag als den, der unter dieser Nummer nachgeprüft wurde. Sichern Sie die Datenbank, und vergleichen Sie mit Ihrer eigenen Kopie.',
  },
  verifyOrSave: 'Protokoll nachprüfen oder speichern',
  files: 'Dateien',
  csvHint:
    'Die neuesten 5.000 passenden Einträge, für eine Tabellenkalkulation. Das Herunterladen wird im Protokoll erfasst.',
  jsonHint:
    'Das ganze Protokoll mit seinen Prüfpunkten, für „countersign verify“. Mehr als 100.000 Einträge werden in mehreren Dateien gespeichert. Das Herunterladen wird im Protokoll erfasst.',
  csv: 'Passende Einträge als CSV speichern',
  json: 'Das ganze Protokoll als JSON speichern',
};
