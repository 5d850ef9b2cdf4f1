import { PAGE_SIZES } from '@countersign/protocol';
import type { EventPage } from '@countersign/protocol';
import type { Api } from './api.js';

const PAGE = PAGE_SIZES.events;

/** The cursor behind the last event so far. Numbers have no gaps, so the end of a long feed can be searched for. */
export async function endOfFeed(producer: Api): Promise<number> {
  const page = (after: number): Promise<EventPage> => producer.get(`/v2/events?after=${after}`);
  let reached = 0;
  let beyond: number = PAGE;
  while ((await page(beyond)).items.length > 0) {
    reached = beyond;
    beyond *= 2;
  }
  while (beyond - reached > PAGE) {
    const middle = Math.floor((reached + beyond) / 2);
    if ((await page(middle)).items.length > 0) reached = middle;
    else beyond = middle;
  }
  return (await page(reached)).next;
}
