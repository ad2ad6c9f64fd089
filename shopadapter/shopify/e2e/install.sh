#!/bin/sh
# Installs the judge of requests into a folder: install.sh DIR
# Afterwards: PUBSYNC_TEST_SHOPIFY=DIR go test ./shopadapter/shopify
set -eu
dir=${1:?usage: install.sh DIR}
fixture=$(cd "$(dirname "$0")" && pwd)/fixture
schemas=@shopify/dev-mcp@1.16.0
sum=4663c79229028e98f825a09d5f04ec6c3736331b740ce50260f9ffac10709474

mkdir -p "$dir"
cp "$fixture"/package.json "$fixture"/package-lock.json "$fixture"/*.mjs "$dir"/
cd "$dir"
echo "$schemas $sum" | cat package-lock.json - >.wanted
if [ -d node_modules/graphql ] && [ -d schemas ] && cmp -s .wanted .installed; then
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
# The package itself is not installed: of what it brings only the schema is needed, and its dependencies are many.
file=$(npm pack --silent "$schemas" | tail -n 1)
node -e '
const [file, sum] = process.argv.slice(1)
const got = require("crypto").createHash("sha256").update(require("fs").readFileSync(file)).digest("hex")
if (got !== sum) { console.error(file + " has the checksum " + got + ", not " + sum); process.exit(1) }' "$file" "$sum"
rm -rf schemas
mkdir schemas
tar -xzf "$file" -C schemas --strip-components=3 package/dist/data
rm "$file"
find schemas -mindepth 1 -maxdepth 1 ! -name admin_2026-07.json.gz -exec rm -rf {} +
mv .wanted .installed
