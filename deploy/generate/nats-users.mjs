// A user of NATS for each target, with the rights of its row of the table of targets and no others.
import { installed } from './installed.mjs';

/** `[{ user, permissions }]`, as the server's configuration has them. */
export function natsUsers(table, hints) {
  return installed(table).map(([target, may]) => {
    const inbox = `_INBOX.${target}.>`;
    const publish = [...may.calls, ...may.publishes.map((hint) => hints[hint])].sort();
    const subscribe = [
      ...may.serves.map((subject) => `${subject} ${subject.split('.')[1]}`),
      ...may.subscribes.map((hint) => `${hints[hint]} ${target}`),
      ...may.hears.map((hint) => hints[hint]),
    ].sort();
    return {
      user: target,
      permissions: {
        publish: publish.length === 0 ? { deny: ['>'] } : { allow: publish },
        subscribe: { allow: [...subscribe, inbox] },
        // Answers go to the caller's inbox.
        ...(may.serves.length > 0 && { allow_responses: { max: 1, ttl: '1m' } }),
      },
    };
  });
}
