// The adapters that the program under test has.

package main_test

// The imports of main.go: go test caches a result by the packages that a test imports, and these
// tests drive a binary of their own.
import (
	_ "github.com/pubsync/pubsync/cmd"
	_ "github.com/pubsync/pubsync/shopadapter/medusa"
	_ "github.com/pubsync/pubsync/shopadapter/shopify"
	_ "github.com/pubsync/pubsync/shopadapter/vendure"
	_ "github.com/pubsync/pubsync/shopadapter/woocommerce"
)
