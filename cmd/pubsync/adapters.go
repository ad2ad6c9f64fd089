package main

// The shop adapters compiled in. A plugin is one more line here.
import (
	_ "github.com/pubsync/pubsync/shopadapter/catalog"
	_ "github.com/pubsync/pubsync/shopadapter/http"
	_ "github.com/pubsync/pubsync/shopadapter/shopify"
	_ "github.com/pubsync/pubsync/shopadapter/vendure"
	_ "github.com/pubsync/pubsync/shopadapter/woocommerce"
)
