#!/usr/bin/env bash
# The agent against the instance that `npm start` runs in another terminal: log in there as Ruth Reviewer, and decide.
set -euo pipefail
cd "$(dirname "$0")"
. ../connect.sh "${1:-}"
export COUNTERSIGN_CLI=${COUNTERSIGN_CLI:-$root/packages/cli/dist/countersign.js}
node agent.mjs "${2:-$(date +%s)}"
