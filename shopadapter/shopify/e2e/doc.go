// Package e2e tests the shopify adapter against graphql-js, which executes every request over
// Shopify's whole Admin schema.
//
// install.sh installs both into a folder, and PUBSYNC_TEST_SHOPIFY names that folder; without it
// these tests are skipped. With it the adapter's own tests also have each request judged that they
// made of their fake.
package e2e
