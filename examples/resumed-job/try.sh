#!/usr/bin/env bash
# A job that is killed twice, against the instance that `npm start` runs in another terminal: log in there as Ruth Reviewer, and
# decide.
set -euo pipefail
cd "$(dirname "$0")"
. ../connect.sh "${1:-}"
node ../charge/service.mjs --hang-once node killed.mjs "${2:-ch_$(date +%s)}"
