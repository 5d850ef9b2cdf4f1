// Checks vectors by verifiers with a bug each, the one named `first` before the others. In comes {vectors, builds} as JSON, out goes
// for each build the name of the first vector whose verdict or named check comes out otherwise, or null.
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { storedCopies } from '../stored-copies.mjs';

const { vectors, builds } = JSON.parse(await text(process.stdin));
const found = [];
for (const { entry, first } of builds) {
  const protocol = await import(pathToFileURL(entry).href);
  const soon = vectors.filter(({ name }) => name === first);
  found.push([...soon, ...vectors].find((vector) => !agrees(protocol, vector))?.name ?? null);
}
console.log(JSON.stringify(found));

function agrees({ loadTrust, readPeople, readWitnessPolicy, verifyDocument }, vector) {
  const { document, trust, expected, store, policy, verdict, check } = vector;
  const witnesses = policy === undefined ? null : readWitnessPolicy(policy).policy;
  const people = vector.people === undefined ? null : readPeople(vector.people).people;
  const copies = store === null ? null : storedCopies(store);
  let checked;
  try {
    checked = verifyDocument(Buffer.from(document, 'base64'), loadTrust(trust), {
      expected,
      copies,
      witnesses,
      people,
    });
  } catch {
    return false;
  }
  return (
    checked.verdict === verdict &&
    checked.checks.some((each) => Object.entries(check).every(([name, is]) => each[name] === is))
  );
}
