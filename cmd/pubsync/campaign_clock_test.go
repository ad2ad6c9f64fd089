//go:build unix

// A program whose wall clock a test moves. The clock of the machine and the program's own code stay
// as they are: the build puts another time.Now in the place of the standard library's.

package main_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// The clock moves by an hour when the program gets one of these signals.
const (
	anHourAhead = syscall.SIGUSR1
	anHourBack  = syscall.SIGUSR2
)

// clockMoved is what such a program says then.
const clockMoved = "the wall clock is moved by"

// movedNow is a file of package time. The monotonic reading of a time stays as it is, as where a
// person or a time server sets the clock of a machine.
const movedNow = `package time

import "sync/atomic"

var ahead atomic.Int64 // seconds

func Move(d Duration) { ahead.Add(int64(d / Second)) }

func Now() Time {
	t := unmovedNow()
	if t.wall&hasMonotonic == 0 {
		return t.Add(Duration(ahead.Load()) * Second)
	}
	t.wall += uint64(ahead.Load()) << nsecShift
	return t
}
`

// movingMain is a file of the program's package main.
const movingMain = `package main

import (
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func init() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		for s := range c {
			by := time.Hour
			if s == syscall.SIGUSR2 {
				by = -time.Hour
			}
			time.Move(by)
			fmt.Fprintln(os.Stderr, "` + clockMoved + `", by, "to", time.Now())
		}
	}()
}
`

// buildWithClock builds into a folder the program with a wall clock that can be moved. Everything is
// compiled anew, unless the build cache has it.
func buildWithClock(ctx context.Context, dir string) (string, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return "", err
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	library := filepath.Join(strings.TrimSpace(string(root)), "src", "time")
	source, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		return "", err
	}
	const begin, link = "\nfunc Now() Time {\n", "\n//go:linkname Now\n"
	if n := strings.Count(string(source), begin); n != 1 {
		return "", fmt.Errorf("time.go of this Go has %d functions Now, want 1", n)
	}
	text := strings.Replace(string(source), begin, "\nfunc unmovedNow() Time {\n", 1)
	instead := map[string]string{}
	for file, text := range map[string]string{
		filepath.Join(library, "time.go"):  strings.Replace(text, link, "\n", 1),
		filepath.Join(library, "moved.go"): movedNow,
		filepath.Join(here, "moved.go"):    movingMain,
	} {
		instead[file] = filepath.Join(dir, fmt.Sprintf("%d.go", len(instead)))
		if err := os.WriteFile(instead[file], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	data, err := json.Marshal(map[string]any{"Replace": instead})
	if err != nil {
		return "", err
	}
	overlay, program := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "pubsync")
	if err := os.WriteFile(overlay, data, 0o600); err != nil {
		return "", err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags=-s -w", "-o", program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program with a clock that moves: %w\n%s", err, out)
	}
	return program, nil
}
