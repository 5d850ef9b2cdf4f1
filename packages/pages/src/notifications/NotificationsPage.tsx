import type { NotificationPreferences } from '@countersign/protocol';
import {
  MAIL_CHOICES,
  MAIL_LANGUAGES,
  NOTIFICATIONS_PATH,
} from '@countersign/protocol/notifications';
import { useEffect, useState } from 'preact/hooks';

import { read, send } from '../api/client.js';
import { useNoticeChoice } from '../notices/notices.js';
import { Button } from '../parts/Button.js';
import { Field } from '../parts/Field.js';
import { Fault } from '../parts/Notice.js';
import { reader } from '../session/session.js';
import { notifications } from '../strings/notifications.js';
import { shared } from '../strings/shared.js';
import { LANGUAGES, languageOfPage } from '../text/language.js';
import { HOURS, faultOfChoice, quietHours, timeOf, unchosen } from './choice.js';

interface Answer {
  readonly preferences: NotificationPreferences | null;
}

/** The reader's own choice of mails in this tenant, and of notices by this browser. */
export function NotificationsPage() {
  const [choice, setChoice] = useState<NotificationPreferences | null>(null);
  const [state, setState] = useState<'known' | 'changed' | 'saved'>('known');
  const [busy, setBusy] = useState(false);
  const [fault, setFault] = useState<unknown>(null);
  const load = async () => {
    setFault(null);
    try {
      const { preferences } = await read<Answer>(NOTIFICATIONS_PATH);
      setChoice(preferences ?? unchosen(ownTimeZone(), languageOfPage()));
    } catch (failed) {
      setFault(failed);
    }
  };
  useEffect(() => void load(), []);
  const change = (members: Partial<NotificationPreferences>) => {
    setChoice((before) => before && { ...before, ...members });
    setState('changed');
  };
  const save = async (wanted: NotificationPreferences) => {
    setBusy(true);
    setFault(null);
    try {
      await send<Answer>('POST', NOTIFICATIONS_PATH, wanted);
      setState('saved');
    } catch (failed) {
      setFault(failed);
    }
    setBusy(false);
  };
  const wrong = choice === null ? null : faultOfChoice(choice);
  return (
    <>
      <header class="page-head">
        <h1>{notifications.title}</h1>
      </header>
      <p class="lead">{notifications.lead(reader()?.tenant ?? '')}</p>
      {choice === null && fault === null && (
        <p class="quiet-text" role="status">
          {shared.loading}
        </p>
      )}
      {choice !== null && (
        <form
          class="card"
          onSubmit={(event) => {
            event.preventDefault();
            if (wrong === null) void save(choice);
          }}
        >
          <h2>{notifications.mails}</h2>
          <MailChoices choice={choice} change={change} />
          {choice.mails === 'digest' && (
            <DigestHours
              choice={choice}
              change={change}
              fault={wrong === 'no-hour' || wrong === 'quiet-hour' ? wrong : null}
            />
          )}
          <Quiet choice={choice} change={change} fault={wrong === 'no-span' ? wrong : null} />
          <ZoneAndLanguage choice={choice} change={change} />
          <div class="row">
            <Button type="submit" look="primary" busy={busy} disabled={wrong !== null}>
              {notifications.save}
            </Button>
            <span class="fine" role="status">
              {state === 'saved' && notifications.saved}
              {state === 'changed' && notifications.unsaved}
            </span>
          </div>
        </form>
      )}
      {fault !== null && (
        <Fault fault={fault} {...(choice === null && { retry: () => void load() })} />
      )}
      <BrowserNotices subject={reader()?.subject ?? ''} />
    </>
  );
}

interface PartProps {
  readonly choice: NotificationPreferences;
  readonly change: (members: Partial<NotificationPreferences>) => void;
}

function MailChoices({ choice, change }: PartProps) {
  return (
    <fieldset>
      <legend>{notifications.mailsAbout}</legend>
      <div class="mail-choices">
        {MAIL_CHOICES.map((mails) => (
          <label key={mails}>
            <input
              type="radio"
              name="mails"
              checked={mails === choice.mails}
              onChange={() => change({ mails })}
            />
            {notifications.choices[mails]}
          </label>
        ))}
      </div>
      <p class="hint">{notifications.mailsHint}</p>
    </fieldset>
  );
}

interface FaultProps {
  readonly fault: keyof typeof notifications.faults | null;
}

function DigestHours({ choice, change, fault }: PartProps & FaultProps) {
  const chosen = choice.digest_hours;
  const quiet = quietHours(choice);
  return (
    <fieldset aria-describedby={fault === null ? undefined : 'hours-fault'}>
      <legend>{notifications.hours}</legend>
      <div class="hours">
        {HOURS.map((hour) => (
          <label key={hour}>
            <input
              type="checkbox"
              checked={chosen.includes(hour)}
              // One that was chosen can be taken back.
              disabled={quiet.includes(hour) && !chosen.includes(hour)}
              onChange={() =>
                change({
                  digest_hours: HOURS.filter((each) =>
                    each === hour ? !chosen.includes(each) : chosen.includes(each),
                  ),
                })
              }
            />
            {timeOf(hour)}
          </label>
        ))}
      </div>
      <p class="hint">{notifications.hoursHint}</p>
      {fault !== null && (
        <p class="fault" id="hours-fault" role="alert">
          {notifications.faults[fault]}
        </p>
      )}
    </fieldset>
  );
}

function Quiet({ choice: { quiet }, change, fault }: PartProps & FaultProps) {
  return (
    <fieldset>
      <legend>{notifications.quiet}</legend>
      <label class="one-choice">
        <input
          type="checkbox"
          checked={quiet !== null}
          onChange={() =>
            change({ quiet: quiet === null ? { from: '20:00', until: '07:00' } : null })
          }
        />
        {notifications.quietChoice}
      </label>
      {quiet !== null && (
        <div class="span-of-time">
          {(['from', 'until'] as const).map((end) => (
            <Field key={end} label={notifications[end]}>
              {({ id }) => (
                <input
                  id={id}
                  type="time"
                  required
                  value={quiet[end]}
                  onInput={({ currentTarget }) =>
                    change({ quiet: { ...quiet, [end]: currentTarget.value.slice(0, 5) } })
                  }
                />
              )}
            </Field>
          ))}
        </div>
      )}
      <p class="hint">{notifications.quietHint}</p>
      {fault !== null && (
        <p class="fault" role="alert">
          {notifications.faults[fault]}
        </p>
      )}
    </fieldset>
  );
}

function ZoneAndLanguage({ choice, change }: PartProps) {
  const zones = Intl.supportedValuesOf('timeZone');
  const all = zones.includes(choice.time_zone) ? zones : [choice.time_zone, ...zones];
  return (
    <>
      <Field label={notifications.timeZone}>
        {({ id }) => (
          <select
            id={id}
            value={choice.time_zone}
            onChange={({ currentTarget }) => change({ time_zone: currentTarget.value })}
          >
            {all.map((zone) => (
              <option key={zone} value={zone}>
                {zone}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={notifications.language}>
        {({ id }) => (
          <select
            id={id}
            value={choice.language}
            onChange={({ currentTarget }) =>
              change({
                language: MAIL_LANGUAGES.find((each) => each === currentTarget.value) ?? 'en',
              })
            }
          >
            {MAIL_LANGUAGES.map((language) => (
              <option key={language} value={language} lang={language}>
                {LANGUAGES[language]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  );
}

function BrowserNotices({ subject }: { subject: string }) {
  const [notices, setNotices] = useNoticeChoice(subject);
  return (
    <section class="card">
      <h2>{notifications.browser}</h2>
      <p>{notifications.browserHint}</p>
      <p role="status">{notifications.notices[notices ?? 'missing']}</p>
      {notices !== null && (
        <Button onClick={() => setNotices(notices === 'off')}>
          {notices === 'off' ? notifications.notify : notifications.notNotify}
        </Button>
      )}
    </section>
  );
}

function ownTimeZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}
