export const notifications = {
  title: 'Notifications',
  lead: (tenant: string) =>
    `How Countersign tells you about reviews and your requests in the tenant ${tenant}. Nothing can be decided by a notification.`,
  mails: 'Mails',
  mailsAbout: 'Mails about reviews',
  choices: {
    at_once: 'At once: a mail for each new review and reminder',
    digest: 'As a digest: one mail with all reviews that wait for you',
    none: 'None, and none about your own requests either',
  },
  mailsHint:
    'Operators always get the mail that an execution has not reported its outcome. Mails need an address that your operator has entered.',
  hours: 'Hours of the digest',
  hoursHint: 'No digest is sent when nothing waits for you.',
  quiet: 'Quiet hours',
  quietChoice: 'Send no mail during quiet hours',
  quietHint:
    'Mails wait until the quiet hours end, even when a deadline is earlier. Mails about reviews that are over by then are not sent.',
  from: 'From',
  until: 'Until',
  timeZone: 'Time zone',
  language: 'Language of mails',
  save: 'Save',
  saved: 'Saved.',
  unsaved: 'There are unsaved changes.',
  faults: {
    'no-hour': 'Choose at least one hour.',
    'quiet-hour': 'An hour of the digest is within the quiet hours. Choose another one.',
    'no-span': 'Enter two different times.',
  },
  browser: 'This browser',
  browserHint:
    'While the inbox is open in a tab that you do not see, this browser says that a request has arrived and how many wait, and nothing about them. The choice is kept in this browser.',
  notify: 'Notify me in this browser',
  notNotify: 'Do not notify me in this browser',
  notices: {
    off: 'Notifications of this browser are off.',
    on: 'Notifications of this browser are on.',
    blocked: 'Your browser blocks notifications. Allow them in its settings for this site.',
    missing: 'This browser has no notifications.',
  },
} as const;
