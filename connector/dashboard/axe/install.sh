#!/bin/sh
# Installs axe-core, which judges how accessible the dashboard is, into a folder: install.sh DIR
# Afterwards: PUBSYNC_TEST_CHROMIUM=$(command -v chromium) PUBSYNC_TEST_AXE=DIR go test ./connector/dashboard
set -eu
dir=${1:?usage: install.sh DIR}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$dir"
cp "$here"/package.json "$here"/package-lock.json "$dir"/
cd "$dir"
if [ -f node_modules/axe-core/axe.min.js ] && cmp -s package-lock.json .installed; then
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json .installed
