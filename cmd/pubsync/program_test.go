package main_test

// What the program is made of, as in main.go: go test keeps results by what a test imports, and these drive a binary of their own.
import (
	_ "github.com/pubsync/pubsync/cmd"
	_ "github.com/pubsync/pubsync/shopadapter/medusa"
	_ "github.com/pubsync/pubsync/shopadapter/shopify"
	_ "github.com/pubsync/pubsync/shopadapter/vendure"
	_ "github.com/pubsync/pubsync/shopadapter/woocommerce"
)
