#!/bin/sh
# Installs the Vendure that the end-to-end test runs against into a folder: install.sh DIR
# Afterwards: PUBSYNC_TEST_VENDURE=DIR go test ./shopadapter/vendure/e2e
set -eu
dir=${1:?usage: install.sh DIR}
fixture=$(cd "$(dirname "$0")" && pwd)/fixture
mkdir -p "$dir"
cp "$fixture"/package.json "$fixture"/package-lock.json "$fixture"/shop.cjs "$dir"/
cd "$dir"
if [ -d node_modules/@vendure/core ] && cmp -s package-lock.json .installed; then
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json .installed
