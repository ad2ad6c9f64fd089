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
func Main() {
	ctx, stop := interruptible(context.Background(), os.Exit)
	code := exit.Tell(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr), os.Stderr)
	stop()
	os.Exit(code)
}

// sameSignal makes two signals one: some supervisors send one to the process and to its group.
const sameSignal = 250 * time.Millisecond

// interruptible returns a context that the first SIGINT or SIGTERM cancels. A second one calls end.
func interruptible(parent context.Context, end func(int)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		var first time.Time
		for {
			select {
			case <-done:
				return
			case <-signals:
			}
			switch cancel(); {
			case first.IsZero():
				first = time.Now()
			case time.Since(first) > sameSignal:
				end(exit.Interrupted)
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}
