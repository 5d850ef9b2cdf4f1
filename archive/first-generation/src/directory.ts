import type { Conversation } from './session.js';

export interface Directory {
  add(conversation: Conversation): void;
  /** Removes it with all its names. */
  remove(conversation: Conversation): void;
  /** By its id, or by the one it had before its handshake resumed it. */
  find(sessionId: string): Conversation | undefined;
  /** From now on the provisional session's name means the resumed one. */
  rename(provisional: Conversation, resumed: Conversation): void;
  all(): Iterable<Conversation>;
  connected(): Conversation[];
  /** Sessions of a user without a connection, the one that lost it first at the head. */
  detached(userId?: string): Conversation[];
  /** How many have a connection. */
  active(): number;
}

const MOST_ALIASES = 8;

export function createDirectory(): Directory {
  const conversations = new Map<string, Conversation>();
  const aliases = new Map<string, string>();
  const namesOf = new Map<string, string[]>();

  const detached = (userId?: string) =>
    [...conversations.values()]
      .filter(({ connection }) => connection === undefined)
      .filter(({ session }) => userId === undefined || session.userId === userId)
      .sort((a, b) => a.detachedAt - b.detachedAt);
  const connected = () =>
    [...conversations.values()].filter(({ connection }) => connection !== undefined);

  return {
    add(conversation) {
      conversations.set(conversation.session.id, conversation);
    },
    remove({ session }) {
      conversations.delete(session.id);
      for (const alias of namesOf.get(session.id) ?? []) aliases.delete(alias);
      namesOf.delete(session.id);
    },
    find(sessionId) {
      return conversations.get(aliases.get(sessionId) ?? sessionId);
    },
    rename(provisional, resumed) {
      conversations.delete(provisional.session.id);
      const names = [...(namesOf.get(resumed.session.id) ?? []), provisional.session.id];
      if (names.length > MOST_ALIASES) aliases.delete(names.shift() as string);
      namesOf.set(resumed.session.id, names);
      aliases.set(provisional.session.id, resumed.session.id);
    },
    all: () => conversations.values(),
    connected,
    detached,
    active: () => connected().length,
  };
}
