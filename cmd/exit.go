package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
)

// exitInterrupted is the exit code of a program that was interrupted twice.
const exitInterrupted = 130

// sameSignal is how far two signals may lie apart and be one: some supervisors send it to the
// process and to its group.
const sameSignal = 250 * time.Millisecond

// interruptible is a context that ends with the first SIGINT or SIGTERM; with the second the
// program does.
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

// endedWith is the end of a command whose output says already how it ended.
func endedWith(code int) error {
	if code == desk.ExitOK {
		return nil
	}
	return &exitError{code: code}
}

// codeOf is the exit code for an error.
func codeOf(err error) int {
	var e *exitError
	var refused *desk.Error
	switch {
	case err == nil:
		return desk.ExitOK
	case errors.As(err, &e):
		return e.code
	case errors.As(err, &refused):
		return refused.Exit
	default:
		return 1
	}
}

// told reports whether nothing is left to say about how a command ended.
func told(err error) bool {
	var e *exitError
	return err == nil || errors.As(err, &e) && e.err == nil
}

// exitCode says what went wrong and returns the code for it.
func exitCode(err error, stderr io.Writer) int {
	if !told(err) {
		fmt.Fprintln(stderr, "pubsync:", harmlessLines(err.Error()))
	}
	return codeOf(err)
}
