// Package cmd is the pubsync program, for every binary that is made of it.
//
// A program is the shop adapters that it imports and one call:
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
// It has every command, with the adapters catalog (which `demo` uses), http (which `conform` is
// about) and those that it imports. Each command is in a file of its own name, and a field of cli
// (cli.go): it reads its flags, asks a desk (package connector/desk) and prints the answer. The desk is
// opened by internal/setup, which opens all that a command works with; no command knows whether it is
// that of a store or of the worker that holds one. The settings have one list, config/settings.go.
package cmd
