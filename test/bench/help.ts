import { SCENARIOS } from './scenarios.js';

export const HELP = `Measures lifecycles through the whole product against a yardstick on this machine: npm run bench -- [options]

  --quick          one short round, under a minute
  --modes LIST     of yardstick, all, split (default: all three; the yardstick is measured before each of the others)
  --clients LIST   clients at once (default 1,8,32)
  --rounds N       how often everything is measured; medians are shown (default 3)
  --seconds N      of one measurement (default 6)
  --pause MS       between two status reads while a grant is awaited (default 5)
  --profile all    instead: where the one process of the product spends its time, at the highest number of clients
  --json FILE      write every figure there
  --help           this text

A lifecycle is create, propose, confirm, wait until the grant is available, claim, admit, outcome. The yardstick is one
process of node:http and pg on a Postgres of the same kind and settings: every step is one function call in one
transaction, which writes the request, its material, candidate, records and outbox in the product's sizes, and one
Ed25519 signature. It has no authentication, record schemas, strict JSON, idempotency, deadlines, ledger or anchor.
TMPDIR says on which disk the databases lie.

Other benches, each with a --help of its own: ${Object.keys(SCENARIOS).join(', ')}.`;
