// Package e2e tests the vendure adapter against a real Vendure, which it boots on loopback.
//
// install.sh installs one into a folder, and PUBSYNC_TEST_VENDURE names that folder; without it
// these tests are skipped. The fake shop of the adapter's own tests is quick and loses answers on
// command; this one is right.
package e2e
