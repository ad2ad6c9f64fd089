// Command pubsync-myshop is pubsync with the adapter of myshop.
package main

import (
	"github.com/pubsync/pubsync/cmd"
	_ "github.com/pubsync/pubsync/cmd/internal/newadapter/template/myshop"
	"github.com/pubsync/pubsync/cmd/internal/newadapter/template/toyshop"
)

func main() {
	go toyshop.Serve() // until the adapter speaks to your shop
	cmd.Main()
}
