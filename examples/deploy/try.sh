#!/usr/bin/env bash
# The pipeline against the instance that `npm start` runs in another terminal: log in there as Ruth Reviewer, and decide.
set -euo pipefail
cd "$(dirname "$0")"
root=$PWD/../..
data=${1:-$root/.countersign}
member() { node -p 'process.argv[2].split(".").reduce((at, name) => at[name], JSON.parse(fs.readFileSync(process.argv[1], "utf8")))' "$data/demo.json" "$1"; }

mkdir -p out
node "$root/deploy/countersign.mjs" connection --data "$data" --producer "$(member producer.id)" --tenant "$(member tenant)" \
  --out out/countersign.json
export COUNTERSIGN_CONNECTION=$PWD/out/countersign.json COUNTERSIGN_JOURNAL=$PWD/out/journal
COUNTERSIGN_TOKEN=$(member producer.token)
COUNTERSIGN_ROUTE=$(member routes.execution)
export COUNTERSIGN_TOKEN COUNTERSIGN_ROUTE
export COUNTERSIGN_CLI=${COUNTERSIGN_CLI:-$root/packages/cli/dist/countersign.js}
./pipeline.sh "${2:-$(date +%s)}"
