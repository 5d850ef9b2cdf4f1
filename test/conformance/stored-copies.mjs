/** The anchor store of a scenario, `{key: text}`, as evidence/store.ts has it, for processes that run built code. */
export function storedCopies(store) {
  const all = Object.entries(store).map(([key, text]) => {
    const [, ledgerId = '', generation = '', name = ''] = key.split('/');
    const sequence = Number(name.replace('.json', ''));
    return { key, ledgerId, generation, sequence, bytes: new TextEncoder().encode(text) };
  });
  const byKey = new Map(all.map((copy) => [copy.key, copy]));
  return {
    copy: (ledgerId, generation, sequence) =>
      byKey.get(
        `checkpoints/${ledgerId}/${generation}/${String(sequence).padStart(16, '0')}.json`,
      ) ?? null,
    within: (ledgerId, from, to) =>
      all.filter(
        (copy) => copy.ledgerId === ledgerId && copy.sequence >= from && copy.sequence <= to,
      ),
  };
}
