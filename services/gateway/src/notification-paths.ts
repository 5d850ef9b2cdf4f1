import { parseStrictJson, readNotificationPreferences } from '@countersign/protocol';

import { readSmallBody } from './body.js';
import type { Handler } from './call.js';
import { sendJson } from './call.js';
import type { AskPerson } from './person.js';
import type { Store } from './store/index.js';

export interface NotificationPaths {
  /** `GET /auth/notifications` */
  readonly read: Handler;
  /** `POST /auth/notifications` */
  readonly save: Handler;
}

/** A person's own choice of mails in this tenant, null until one is made. */
export function createNotificationPaths(store: Store, person: AskPerson): NotificationPaths {
  return {
    async read(call) {
      const preferences = await store.notifications(await person(call));
      sendJson(call, JSON.stringify({ preferences }));
    },

    async save(call) {
      const reader = await person(call);
      const preferences = readNotificationPreferences(
        parseStrictJson(await readSmallBody(call.request)),
      );
      await store.saveNotifications(reader, preferences);
      sendJson(call, JSON.stringify({ preferences }));
    },
  };
}
