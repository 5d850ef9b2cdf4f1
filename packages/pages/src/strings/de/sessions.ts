import type { Translation } from '../../text/translation.js';
import type { sessions as English } from '../sessions.js';

export const sessions: Translation<typeof English> = {
  title: 'Meine Sitzungen',
  lead: (tenant) =>
    `Hier sind Sie beim Mandanten ${tenant} angemeldet. Beenden Sie Sitzungen, die Sie nicht kennen oder nicht mehr brauchen.`,
  list: 'Sitzungen',
  since: 'Angemeldet',
  lastUsed: 'Zuletzt benutzt',
  lastUsedHint: 'Die Zeit der letzten Benutzung wird einmal in der Minute aktualisiert.',
  expires: 'Läuft ab',
  which: 'Sitzung',
  current: 'Diese Sitzung',
  other: 'Andere Sitzung',
  action: 'Beenden',
  end: 'Beenden',
  endLabel: (since) => `Die Sitzung beenden, die ${since} begonnen hat`,
  endOthers: 'Alle anderen beenden',
  noOthers: 'Es gibt keine andere Sitzung.',
  ended: (count) =>
    count === 1 ? 'Eine Sitzung wurde beendet.' : `${count} Sitzungen wurden beendet.`,
  gone: 'Diese Sitzung war schon beendet.',
};
