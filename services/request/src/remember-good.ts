import { textDigest } from '@countersign/protocol';

const MOST = 10_000;

/** Asks once about a text: what was found good is good for ever, what was refused is asked again. */
export function rememberGood(
  ask: (tenant: string, text: string) => Promise<void>,
): (tenant: string, text: string) => Promise<void> {
  const good = new Set<string>();
  return async (tenant, text) => {
    const digest = textDigest(text);
    if (good.has(digest)) return;
    await ask(tenant, text);
    if (good.size >= MOST) good.clear();
    good.add(digest);
  };
}
