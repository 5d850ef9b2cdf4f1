#!/usr/bin/env bash
# The five lines of the README against the instance that `npm start` runs in another terminal: log in there as Ruth Reviewer, and
# decide.
set -euo pipefail
cd "$(dirname "$0")"
. ../connect.sh "${1:-}"

node "$root/node_modules/@typescript/native/bin/tsc" -p . --composite false --emitDeclarationOnly false --outDir dist
echo "Decide about the refund at $(node -p 'JSON.parse(fs.readFileSync(process.env.COUNTERSIGN_CONNECTION, "utf8")).origin')/inbox"
node service.mjs node dist/refund.js
