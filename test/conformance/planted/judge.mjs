// Checks vectors by verifiers with a bug each. In comes {vectors, builds} as JSON, out goes for each build the name of the
// first vector whose verdict or named check comes out otherwise, or null.
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { storedCopies } from '../stored-copies.mjs';

const { vectors, builds } = JSON.parse(await text(process.stdin));
const found = [];
for (const build of builds) {
  const protocol = await import(pathToFileURL(build).href);
  found.push(vectors.find((vector) => !agrees(protocol, vector))?.name ?? null);
}
console.log(JSON.stringify(found));

function agrees({ loadTrust, readWitnessPolicy, verifyDocument }, vector) {
  const { document, trust, expected, store, policy, verdict, check } = vector;
  const witnesses = policy === undefined ? null : readWitnessPolicy(policy).policy;
  const copies = store === null ? null : storedCopies(store);
  let checked;
  try {
    checked = verifyDocument(Buffer.from(document, 'base64'), loadTrust(trust), {
      expected,
      copies,
      witnesses,
    });
  } catch {
    return false;
  }
  return (
    checked.verdict === verdict &&
    checked.checks.some((each) => Object.entries(check).every(([name, is]) => each[name] === is))
  );
}
