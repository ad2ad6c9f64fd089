// Command pubsync-myshop is pubsync with the adapter of myshop.
package main

import (
	"github.com/pubsync/pubsync/cmd"
	_ "github.com/pubsync/pubsync/cmd/internal/newadapter/template/myshop"
)

func main() { cmd.Main() }
