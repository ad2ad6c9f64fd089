// Package exit is how a command ends: the exit code of the process for each error.
package exit

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
)

// Broken is the exit code of a broken law, and of every error that has no code of its own.
const Broken = 1

// Interrupted is the exit code of a process that was told to end twice.
const Interrupted = 130

// Usage is the error of a wrong command line.
func Usage(format string, args ...any) error {
	why := fmt.Errorf(format, args...)
	return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("wrong usage: %w (pubsync --help)", why)}
}

// With ends a command whose output has said how it ended; nil for desk.ExitOK.
func With(code int) error {
	if code == desk.ExitOK {
		return nil
	}
	return &desk.Error{Exit: code}
}

// CodeOf is the exit code for an error.
func CodeOf(err error) int {
	var e *desk.Error
	switch {
	case err == nil:
		return desk.ExitOK
	case errors.As(err, &e):
		return e.Exit
	default:
		return Broken
	}
}

// Tell prints an error, unless the command has said all, and returns its exit code.
func Tell(err error, stderr io.Writer) int {
	if text := Text(err); text != "" {
		fmt.Fprintln(stderr, "pubsync:", say.HarmlessLines(text))
	}
	return CodeOf(err)
}

// Text returns what an error says beside its exit code, "" where the command has said all.
func Text(err error) string {
	var e *desk.Error
	if err == nil || errors.As(err, &e) && e.Err == nil {
		return ""
	}
	return err.Error()
}

// order is the exit codes, the most serious last.
var order = []int{desk.ExitOK, Broken, desk.ExitShop, desk.ExitMarketplace, desk.ExitStore, desk.ExitUsage}

// Worst is the most serious exit code of several commands.
func Worst(errs ...error) (code int) {
	for _, err := range errs {
		code = order[max(slices.Index(order, code), slices.Index(order, CodeOf(err)))]
	}
	return code
}
