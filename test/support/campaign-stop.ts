import { existsSync } from 'node:fs';

/** Whether the person who started the campaign (campaign.mjs) wants its end before its time. */
export function stopAsked(): boolean {
  const { CAMPAIGN_STOP: file } = process.env;
  return file !== undefined && existsSync(file);
}
