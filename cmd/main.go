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

// Main runs the program and ends the process. The first SIGINT or SIGTERM ends the command, the second the process.
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

// sameSignal makes two signals one: some supervisors signal the process and its group.
const sameSignal = 250 * time.Millisecond
