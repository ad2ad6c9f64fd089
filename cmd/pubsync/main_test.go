// The tests of the program as its users have it: they build the binary, start it, and ask it over
// its commands, its listeners, its shop and its marketplace. A file's name begins with what its
// tests prove:
//
//	accounts  that one process works on several accounts, and so do several
//	beside    what a command does while a worker holds the store, and what the admin listener tells
//	bench     nothing: what the tests stand on
//	campaign  that whatever befalls the program, its marketplaces and its shops, nothing is lost or doubled
//	command   what a command does and prints
//	config    what settings do, and that no secret is shown
//	document  that README, guide and example are true
//	trouble   that outages, full disks, damaged stores, sieges and hostile answers are borne

package main_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"testing"

	// The imports of main.go: go test caches a result by the packages that a test imports, and these tests drive a
	// binary of their own.
	_ "github.com/pubsync/pubsync/cmd"
	_ "github.com/pubsync/pubsync/shopadapter/medusa"
	_ "github.com/pubsync/pubsync/shopadapter/shopify"
	_ "github.com/pubsync/pubsync/shopadapter/vendure"
	_ "github.com/pubsync/pubsync/shopadapter/woocommerce"
	_ "github.com/pubsync/pubsync/store/postgrestest"
)

// binary is the program under test, built once for a run of the tests: they drive it as its users
// do, and reach into nothing.
var binary string

// raced says that the tests, and so the program under test, are built with the race detector.
var raced = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	flag.Parse()
	if f := flag.Lookup("test.fuzzworker"); f != nil && f.Value.String() == "true" {
		return m.Run() // whoever started it has built the program, and fuzzing does not run it
	}
	debug.SetGCPercent(400) // the marketplaces and shops that the tests play allocate much and hold little
	chosen := false
	flag.Visit(func(f *flag.Flag) { chosen = chosen || f.Name == "test.parallel" })
	if !chosen {
		// the tests wait for processes more than they work; with many more of them a database answers too late
		_ = flag.Set("test.parallel", strconv.Itoa(4*runtime.NumCPU()))
	}
	dir, err := os.MkdirTemp("", "pubsync-acceptance-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a temporary folder
	binary = filepath.Join(dir, "pubsync")
	// go run keeps what it has linked, go build does not: a second run of the tests links nothing
	args := []string{"run", "-exec=cp", "-ldflags=-s -w"}
	if raced {
		args = append(args, "-race")
	}
	build := exec.Command("go", append(args, ".", binary)...)
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program under test: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// long skips a campaign, a flood or a foreign module where only the short tests are asked for: they
// run without the race detector.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("not with -short: it takes long, and needs no race detector")
	}
}

// unraced skips a test that runs one command after another: the packages' own tests run that code raced.
func unraced(t *testing.T) {
	t.Helper()
	if raced {
		t.Skip("not with -race: it runs one command after another")
	}
}
