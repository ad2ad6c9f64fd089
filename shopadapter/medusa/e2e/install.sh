#!/bin/sh
# Installs the Medusa that the adapter's tests run against into a folder: install.sh DIR
# Afterwards, with Debian's postgresql: PUBSYNC_TEST_MEDUSA=DIR go test ./shopadapter/medusa -run '^TestReal'
set -eu
dir=${1:?usage: install.sh DIR}
fixture=$(cd "$(dirname "$0")" && pwd)/fixture
mkdir -p "$dir"
cp "$fixture"/package.json "$fixture"/package-lock.json "$fixture"/shop.cjs "$fixture"/medusa-config.js "$dir"/
cd "$dir"
if [ -d node_modules/@medusajs/medusa ] && cmp -s package-lock.json .installed; then
	exit 0
fi
npm ci --legacy-peer-deps --ignore-scripts --no-audit --no-fund --loglevel=error
cp package-lock.json .installed
