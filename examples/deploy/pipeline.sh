#!/usr/bin/env bash
# A deploy pipeline: build, ask people, deploy what was built, at most once for each build.
set -euo pipefail
cd "$(dirname "$0")"

build=${1:?usage: pipeline.sh BUILD}
mkdir -p out
printf 'build %s\n' "$build" >"out/release-$build.txt"

countersign=${COUNTERSIGN_CLI:-npx @countersign/cli}
code=0
$countersign run --route deploy --occurrence "deploy:$build" \
  --summary "Deploy build $build" --bind "out/release-$build.txt" \
  -- ./deploy.sh "out/release-$build.txt" || code=$?

case $code in
0) echo "Build $build is deployed." ;;
100) echo "Build $build was refused: it stays undeployed." ;;
103) echo "Build $build was deployed before." ;;
106) echo "The request is still open. Run the pipeline again later." ;;
*) echo "Build $build: exit code $code (docs/cli.md)." ;;
esac
exit "$code"
