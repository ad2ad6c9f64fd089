// Package e2e tests the vendure adapter on loopback against a real Vendure: the laws, and what only this shop does.
//
// install.sh installs Vendure into a folder that PUBSYNC_TEST_VENDURE names. Without it the tests are skipped.
package e2e
