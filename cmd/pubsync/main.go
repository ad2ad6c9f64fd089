// Pubsync keeps a retailer's web shop in step with a wholesale marketplace's dropshipping import
// list. See the README, and `pubsync --help`.
package main

import (
	"github.com/pubsync/pubsync/cmd"
	_ "github.com/pubsync/pubsync/shopadapter/medusa"
	_ "github.com/pubsync/pubsync/shopadapter/shopify"
	_ "github.com/pubsync/pubsync/shopadapter/vendure"
	_ "github.com/pubsync/pubsync/shopadapter/woocommerce"
)

func main() { cmd.Main() }
