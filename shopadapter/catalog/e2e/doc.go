// Package e2e has the structured data of the catalogue's pages judged by others: by Adobe's
// validator, which knows the rules of search engines, and by Schema.org's vocabulary in the form of
// TypeScript's types (schema-dts).
//
// install.sh installs both into a folder, and PUBSYNC_TEST_CATALOG names that folder; without it
// these tests are skipped.
package e2e
