// Pubsync keeps a retailer's web shop in step with a wholesale marketplace's dropshipping import list. See the README, and `pubsync --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"
	"time"
	_ "time/tzdata" // the binary runs where there is no system to ask

	"github.com/pubsync/pubsync/connector"
)

// exitInterrupted is the exit code of a program that was interrupted twice.
const exitInterrupted = 130

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(connector.GCPercent)
	}
	ctx, stop := interruptible(context.Background(), os.Exit)
	code := exitCode(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr), os.Stderr)
	stop()
	os.Exit(code)
}

// sameSignal is how far two signals may lie apart and be one: some supervisors send it to the process and to its group.
const sameSignal = 250 * time.Millisecond

// interruptible is a context that ends with the first SIGINT or SIGTERM; with the second the program does.
func interruptible(parent context.Context, exit func(int)) (context.Context, func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	done := make(chan struct{})
	go func() {
		select {
		case <-signals:
			cancel()
		case <-done:
			return
		}
		first := time.Now()
		for {
			select {
			case <-signals:
				if time.Since(first) > sameSignal {
					exit(exitInterrupted)
				}
			case <-done:
				return
			}
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		close(done)
		cancel()
	}
}

// An exitError ends the program with a code. Without an error there is nothing more to say.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// exitCode says what went wrong and returns the code for it.
func exitCode(err error, stderr io.Writer) int {
	var e *exitError
	switch {
	case err == nil:
		return connector.ExitOK
	case errors.As(err, &e):
		if e.err != nil {
			fmt.Fprintln(stderr, "pubsync:", harmlessLines(err.Error()))
		}
		return e.code
	default:
		fmt.Fprintln(stderr, "pubsync:", harmlessLines(err.Error()))
		return 1
	}
}
