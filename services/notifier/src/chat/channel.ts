import type { MailLanguage } from '@countersign/protocol';

/** A channel of Slack or Teams that is told of reviews, as it is configured. */
export interface ChatChannel {
  /** Names it in rows and logs: its address is a secret. */
  readonly name: string;
  readonly kind: 'slack' | 'teams';
  readonly tenant: string;
  /** Null: all of the tenant. */
  readonly routes: readonly string[] | null;
  /** The incoming webhook. */
  readonly url: string;
  readonly language: MailLanguage;
}

/** The channels that are told of reviews on a route. */
export function channelsFor(
  channels: readonly ChatChannel[],
  tenant: string,
  route: string,
): ChatChannel[] {
  return channels.filter(
    (channel) =>
      channel.tenant === tenant && (channel.routes === null || channel.routes.includes(route)),
  );
}
