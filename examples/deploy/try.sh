#!/usr/bin/env bash
# The pipeline against the instance that `npm start` runs in another terminal: log in there as Ruth Reviewer, and decide.
set -euo pipefail
cd "$(dirname "$0")"
. ../connect.sh "${1:-}"
export COUNTERSIGN_JOURNAL=$PWD/out/journal
export COUNTERSIGN_CLI=${COUNTERSIGN_CLI:-$root/packages/cli/dist/countersign.js}
./pipeline.sh "${2:-$(date +%s)}"
