#!/bin/sh
# Stands for a deployment: installs the release that it is given.
set -eu
mkdir -p out/live
cat "$1" >>out/live/releases.txt
echo "deployed for request $COUNTERSIGN_REQUEST"
