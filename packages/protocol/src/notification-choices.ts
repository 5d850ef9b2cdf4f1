// What a person wants to be notified of by mail, and when (docs/pages.md, "Notifications"). A person who never chose has
// none of this, and gets each mail at once, in English.

export const NOTIFICATIONS_PATH = '/auth/notifications';

/** `at_once`: a mail for each review. `digest`: one at chosen hours. `none`: no mail about reviews and own requests. */
export const MAIL_CHOICES = ['at_once', 'digest', 'none'] as const;
export type MailChoice = (typeof MAIL_CHOICES)[number];

export const MAIL_LANGUAGES = ['en', 'de'] as const;
export type MailLanguage = (typeof MAIL_LANGUAGES)[number];

/** Times of the day as `HH:MM`; over midnight where `until` is earlier. */
export interface QuietHours {
  readonly from: string;
  readonly until: string;
}

export interface NotificationPreferences {
  readonly mails: MailChoice;
  /** Hours of the day, 0 to 23, in ascending order; at least one for `digest`. */
  readonly digest_hours: readonly number[];
  readonly quiet: QuietHours | null;
  /** A name of the IANA time zone database; hours and deadlines are in it. */
  readonly time_zone: string;
  readonly language: MailLanguage;
}
