#!/bin/sh
# Installs what judges the structured data of the catalogue's pages into a folder: install.sh DIR
# Afterwards: PUBSYNC_TEST_CATALOG=DIR go test ./shopadapter/catalog/e2e
set -eu
dir=${1:?usage: install.sh DIR}
fixture=$(cd "$(dirname "$0")" && pwd)/fixture
mkdir -p "$dir"
cp "$fixture"/package.json "$fixture"/package-lock.json "$fixture"/judge.mjs "$dir"/
cd "$dir"
if [ -d node_modules/schema-dts ] && cmp -s package-lock.json .installed; then
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json .installed
