import type { NotificationPreferences } from '@countersign/protocol';

export const HOURS = Array.from({ length: 24 }, (_, hour) => hour);

/** What a person has who never chose: each mail at once. The rest is proposed, for another choice. */
export function unchosen(timeZone: string, language: string): NotificationPreferences {
  return {
    mails: 'at_once',
    digest_hours: [8],
    quiet: null,
    time_zone: timeZone,
    language: language === 'de' ? 'de' : 'en',
  };
}

/** The hours to choose from that are within the quiet ones. */
export function quietHours({ quiet }: NotificationPreferences): readonly number[] {
  if (quiet === null) return [];
  const { from, until } = quiet;
  return HOURS.filter((hour) => {
    const time = timeOf(hour);
    return from < until ? time >= from && time < until : time >= from || time < until;
  });
}

export function timeOf(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

export type ChoiceFault = 'no-hour' | 'quiet-hour' | 'no-span' | null;

/** Why the service would refuse it. */
export function faultOfChoice(choice: NotificationPreferences): ChoiceFault {
  const { mails, digest_hours: hours, quiet } = choice;
  if (quiet !== null && (quiet.from === '' || quiet.until === '' || quiet.from === quiet.until)) {
    return 'no-span';
  }
  if (mails !== 'digest') return null;
  if (hours.length === 0) return 'no-hour';
  return hours.some((hour) => quietHours(choice).includes(hour)) ? 'quiet-hour' : null;
}
