import { number } from '../../text/locale.js';
import type { Translation } from '../../text/translation.js';
import type { changes as English } from '../changes.js';

export const changes: Translation<typeof English> = {
  replacedTitle: 'Der Antragsteller hat diesen Antrag ersetzt',
  replacedBy: 'Entscheiden Sie den neueren:',
  replacesTitle: 'Dieser Antrag ersetzt einen früheren',
  replaces: 'Zuvor:',
  show: 'Änderungen anzeigen',
  hide: 'Änderungen ausblenden',
  comparing: 'Die beiden Anträge werden verglichen …',
  gone: 'Der Inhalt des früheren Antrags ist gelöscht oder nicht für Sie lesbar: Es gibt nichts zu vergleichen.',
  same: 'Unverändert.',
  changesOf: (part) => `${part}: Änderungen`,
  document: 'Dokument',
  payload: 'Nutzdaten',
  schema: 'Fragen (Antwortschema)',
  moreChanges:
    'Es folgen weitere Änderungen; nur die ersten werden gezeigt. Lesen Sie unten den ganzen Inhalt.',
  gap: (count) => (count === 1 ? '1 unveränderte Zeile' : `${number(count)} unveränderte Zeilen`),
  added: 'Hinzugefügt:',
  removed: 'Entfernt:',
  member: 'Element',
  before: 'Zuvor',
  after: 'Jetzt',
  none: 'nicht vorhanden',
  whole: 'der ganze Wert',
};
