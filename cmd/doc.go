// Package cmd is the pubsync program: a binary imports shop adapters and makes one call.
//
//	package main
//
//	import (
//		"github.com/pubsync/pubsync/cmd"
//		_ "example.com/myshop"
//	)
//
//	func main() { cmd.Main() }
//
// The adapters catalog (for `demo`) and http (for `conform`) are always there. Each command is in a file of its own
// name: it reads its flags, asks a desk (package connector/desk) and prints the answer. internal/setup opens the
// desk, of a store or of the worker that holds one; no command knows which. config/settings.go lists the settings.
package cmd
