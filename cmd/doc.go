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
// connector/desk) and prints the answer. cli.go lists the commands, command.go has what they share,
// main.go has the process around them. The other packages below cmd are:
//
//	config           the settings, whose one list is config/settings.go
//	internal/setup   opens what a command works with: the store and its desk, marketplace, shop, worker.
//	                 setup/desk.go opens the desk over the store itself, or of the worker that holds the
//	                 store; no command knows which. setup/alone.go makes a run or a plan without a worker
//	internal/doctor  the checks of `doctor`
//	internal/demo    what `demo` shows
//	internal/newadapter
//	                 the module that `adapters new` writes
//	internal/say     text for people: tables, times, log records
//	internal/alert   tells people what needs them: chat, mail
//	deploy           files for systemd, containers and monitoring, each with a test
//	internal/exit    exit codes, and errors that carry one
//
// # A new command
//
// A command that reads or tells what the desk offers is a struct with a Run method and a field of
// cli (cli.go): `status` is the example. What the desk does not offer yet is a method of desk.Desk:
// desk.Local answers it from the store, desk.Handler has a path for it, desk.Client asks that path.
package cmd
