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
// about) and those that it imports; `adapters` lists them, and `adapters --env` prints the
// config.example.env of that program.
//
// # Where things are
//
// Each command is in a file of its own name: it reads its flags, asks a desk (package
// connector/desk) and prints the answer. desk.go opens that desk, over the store itself or of the
// worker that holds the store; no command knows which. alone.go makes a run or a plan in a process
// without a worker. Package config reads the settings, whose one list is in config/settings.go;
// setup.go has what is opened with them.
//
// # A new command
//
// A command that reads or tells what the desk offers is a struct with a Run method and a field of
// cli (cli.go): `status` is the example. What the desk does not offer yet is a method of desk.Desk:
// desk.Local answers it from the store, desk.Handler has a path for it, desk.Client asks that path,
// and TestBothDesksTellTheSame holds the two to one answer.
package cmd
