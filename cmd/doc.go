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
// The adapters catalog (for `demo`) and http (for `conform`) are always there. Most commands have a file of their own
// name: they read flags, ask a desk (package connector/desk) and print the answer. internal/setup opens the desk, of a
// store or of the worker that holds it; no command knows which. config/settings.go lists the settings.
package cmd
