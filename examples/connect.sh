# shellcheck shell=bash
# Sourced by try.sh of each example, in its folder: connects it as the producer of the instance that `npm start` runs in another
# terminal. The first argument is the data directory of that instance.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${1:-$root/.countersign}
member() { node -p 'process.argv[2].split(".").reduce((at, name) => at[name], JSON.parse(fs.readFileSync(process.argv[1], "utf8")))' "$data/demo.json" "$1"; }

mkdir -p out
node "$root/deploy/countersign.mjs" connection --data "$data" --producer "$(member producer.id)" --tenant "$(member tenant)" \
  --out out/countersign.json
COUNTERSIGN_CONNECTION=$PWD/out/countersign.json
COUNTERSIGN_TOKEN=$(member producer.token)
export COUNTERSIGN_CONNECTION COUNTERSIGN_TOKEN
