// Package e2e tests the vendure adapter against a real Vendure, which it boots on loopback: the laws,
// and by name what only this shop does.
//
// install.sh installs one into a folder, and PUBSYNC_TEST_VENDURE names that folder; without it these
// tests are skipped. There is no other Vendure to test against.
package e2e
