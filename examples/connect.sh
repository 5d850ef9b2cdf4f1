# shellcheck shell=bash
# Sourced by try.sh of each example, in its folder: connects it as the producer of the instance that `npm start` runs in another
# terminal. The first argument is the data directory of that instance.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# As seen from the folder that try.sh was called in.
COUNTERSIGN_CONNECTION=$(cd "$OLDPWD" && cd "${1:-$root/.countersign}" && pwd)/countersign.json
export COUNTERSIGN_CONNECTION
mkdir -p out
