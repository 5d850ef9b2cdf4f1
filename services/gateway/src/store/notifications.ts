import { statements } from '@countersign/database';
import type { NotificationPreferences } from '@countersign/protocol';

import type { PersonEntry } from './person.js';
import type { Rows } from './rows.js';

export const NOTIFICATIONS = statements('gateway', {
  notifications: `SELECT preferences FROM mail_preference WHERE tenant = $1 AND principal = :principal`,
  // A choice that is made again writes nothing. The notifier plans the next digest: its row is due at once.
  saveNotifications: `WITH saved AS (
      INSERT INTO mail_preference AS m (tenant, principal, preferences, next_at)
      VALUES ($1, :principal, :preferences::jsonb, CASE WHEN :digest::boolean THEN clock_timestamp() END)
      ON CONFLICT (tenant, principal) DO UPDATE
        SET preferences = EXCLUDED.preferences, next_at = EXCLUDED.next_at, planned = false, claim_id = NULL
        WHERE m.preferences <> EXCLUDED.preferences
      RETURNING principal
    ) INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
      SELECT $1, 'notifications.changed', p.id, p.kind, p.id, jsonb_build_object('mails', :mails::text)
      FROM saved s JOIN principal p ON p.tenant = $1 AND p.id = s.principal`,
});

/** A person's own choice of notifications in one tenant. */
export function notificationStore(rows: Rows) {
  return {
    /** Null while none was made. */
    async notifications({
      tenant,
      principal,
    }: PersonEntry): Promise<NotificationPreferences | null> {
      const [found] = await rows<{ preferences: NotificationPreferences }>(
        NOTIFICATIONS.notifications,
        { tenant, principal },
      );
      return found?.preferences ?? null;
    },

    async saveNotifications(
      { tenant, principal }: PersonEntry,
      preferences: NotificationPreferences,
    ): Promise<void> {
      const { mails } = preferences;
      await rows(NOTIFICATIONS.saveNotifications, {
        ...{ tenant, principal, mails },
        preferences: JSON.stringify(preferences),
        digest: mails === 'digest',
      });
    },
  };
}
