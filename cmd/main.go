package cmd

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/cmd/internal/exit"
	_ "github.com/pubsync/pubsync/shopadapter/catalog" // what the demo publishes to
)

// Main runs the program with the arguments and the environment of the process, and ends the
// process. A main function calls it after the imports have registered their shop adapters.
// The first SIGINT or SIGTERM ends the command, a second one the process.
func Main() {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		time.Sleep(sameSignal)
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		<-again
		os.Exit(exit.Interrupted)
	}()
	os.Exit(exit.Tell(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr), os.Stderr))
}

// sameSignal makes two signals one: some supervisors send one to the process and to its group.
const sameSignal = 250 * time.Millisecond
