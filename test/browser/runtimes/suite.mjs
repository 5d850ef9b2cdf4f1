// What every runtime has to do alike: plain JavaScript of the platform alone, which runs under Node, Deno, Bun and in a browser.
// Gives plain JSON, which is compared.

/** @param packages the modules `index` and `export` of @countersign/client; `vectors` of the verifier, prepared */
export async function suite({ index, exported, vectors, status }) {
  const verdicts = vectors.map(({ name, document, trust, expected, store }) => {
    const bytes = Uint8Array.from(atob(document), (character) => character.charCodeAt(0));
    const copies = store === null ? null : copiesIn(store);
    const { verdict, kind, checks } = exported.verifyExport(bytes, { trust, expected, copies });
    const failed = checks.filter((check) => check.status === 'fails');
    return [name, kind, verdict, failed.map(({ code, reason }) => [code, reason ?? null])];
  });
  return { verdicts, calls: await calls(index, status), keys: index.keyOf('a', 1, 'ü') };
}

function copiesIn(store) {
  const all = Object.entries(store)
    .filter(([key]) => !key.startsWith('security/'))
    .map(([key, text]) => {
      const [, ledgerId, generation, name = ''] = key.split('/');
      const sequence = Number(name.replace('.json', ''));
      return { key, ledgerId, generation, sequence, bytes: new TextEncoder().encode(text) };
    });
  return {
    copy: (ledgerId, generation, sequence) =>
      all.find(
        (each) =>
          each.ledgerId === ledgerId &&
          each.generation === generation &&
          each.sequence === sequence,
      ) ?? null,
    within: (ledgerId, from, to) =>
      all.filter(
        (each) => each.ledgerId === ledgerId && each.sequence >= from && each.sequence <= to,
      ),
  };
}

async function calls({ countersign, cancel, status: read }, status) {
  const seen = [];
  const client = (answers, more = {}) =>
    countersign({
      origin: 'https://review.example',
      token: 't',
      trust: 'unverified',
      async fetch(url, { method, headers }) {
        const { 'idempotency-key': key = null, authorization } = headers;
        seen.push([method, new URL(url).pathname, key?.slice(0, 4) ?? null, authorization]);
        const [code, body, type = 'application/json'] = answers.shift();
        return new Response(body, { status: code, headers: { 'content-type': type } });
      },
      ...more,
    });
  const problem = (code, error) => [
    code,
    JSON.stringify({ error, detail: 'd', instance: 'i' }),
    'application/problem+json',
  ];
  const ends = async (call) => {
    try {
      return ['gives', (await call).revision];
    } catch ({ name, code, why, effect, attempts, field }) {
      return ['throws', { name, code, why, effect, attempts, field }];
    }
  };
  const whole = [200, JSON.stringify(status)];
  const id = status.request.id;
  return {
    repeated: await ends(client([[502, ''], whole]).call(read, { id })),
    refused: await ends(client([problem(404, 'not_found')]).call(read, { id })),
    invalid: await ends(client([[200, '{"x":1}']]).call(read, { id })),
    keyed: await ends(client([[502, ''], whole]).call(cancel, { id, body: {} })),
    // By a real connection: nothing listens there.
    away: await ends(
      countersign({
        ...{ origin: 'http://127.0.0.1:59998', token: 't', trust: 'unverified' },
        budget: { attempts: 1 },
      }).call(cancel, { id, body: {} }),
    ),
    body: await ends((async () => client([]).call(cancel, { id, body: { reason: NaN } }))()),
    option: await ends((async () => client([], { origin: 'ftp://x' }))()),
    late: await ends(client([whole]).until(id, 'decided', { timeout: 0 })),
    seen,
  };
}
