import type { AnchorCopies, AnchorCopy } from '@countersign/protocol';

/** The anchor store of a scenario, as `{key: text}`. */
export function copiesIn(store: Readonly<Record<string, string>>): AnchorCopies {
  const keys = Object.keys(store);
  const below = (names: readonly string[]): AnchorCopies =>
    copiesOf(Object.fromEntries(names.map((key) => [key, store[key] as string])));
  const isSecurity = (key: string): boolean => key.startsWith('security/');
  return {
    ...below(keys.filter((key) => !isSecurity(key))),
    security: below(keys.filter(isSecurity)),
  };
}

function copiesOf(store: Readonly<Record<string, string>>): AnchorCopies {
  const all = Object.entries(store).map(([key, text]): AnchorCopy & { ledgerId: string } => {
    const [, ledgerId = '', generation = '', name = ''] = key.split('/');
    const sequence = Number(name.replace('.json', ''));
    return { key, ledgerId, generation, sequence, bytes: new TextEncoder().encode(text) };
  });
  return {
    copy: (ledgerId, generation, sequence) =>
      all.find(
        (copy) =>
          copy.ledgerId === ledgerId &&
          copy.generation === generation &&
          copy.sequence === sequence,
      ) ?? null,
    within: (ledgerId, from, to) =>
      all.filter(
        (copy) => copy.ledgerId === ledgerId && copy.sequence >= from && copy.sequence <= to,
      ),
  };
}
