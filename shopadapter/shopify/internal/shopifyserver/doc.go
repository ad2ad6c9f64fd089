// Package shopifyserver runs the judge of Shopify requests on loopback for tests, and plays the
// owner of the shops in it.
//
// [Start] boots the server that the fixture of the end-to-end test installs: one node process in
// which graphql-js executes requests over Shopify's whole Admin schema. [Server.Open] makes a shop
// in it, which is addressed by its token. [Server.Judge] says of requests that were made elsewhere
// what is wrong with them. The process ends when its standard input does, also when the test binary
// was killed.
//
// Only tests import this package.
package shopifyserver
