//go:build linux

package benchmarks

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/bolt"
)

// BenchmarkKnown imports 100,000 publications of three variants, and has a worker in a process of
// its own hold them: it opens the store, sweeps, enumerates the whole list and finds nothing to do.
// The figures are mebibytes resident at the end, of them those of mapped files, which the kernel may
// take back, the most that were ever resident, the milliseconds to open the store, the share of one
// core while idle, and the store's bytes per publication, free pages included.
//
// Wanted: resident-MiB below 128, idle-core-% below 0.1, open-ms below 500.
func BenchmarkKnown(b *testing.B) {
	const n = 100_000
	b.StopTimer()
	box := sandbox.New(harness.Unthrottled())
	for range n / 10_000 {
		if _, err := box.Carry(sandbox.Order{Do: []string{"add", "watering-can"}, Count: 10_000}); err != nil {
			b.Fatal(err)
		}
	}
	r := newRig(b, box.Transport())
	// the default: many slots and no throttle leave the reports far behind, and their room
	// behind them
	r.tune = func(o *connector.Options) { o.Concurrency = 4 }
	if done, err := r.connector().Once(b.Context(), desk.RunOptions{Patience: time.Minute}); err != nil ||
		int(done.Reported) != n {
		b.Fatalf("import ended with %+v, %v", done, err)
	}
	size := store.SizeOf(r.store)
	if err := r.store.Close(); err != nil {
		b.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := sandbox.Serve(box, l)
	defer server.Close()

	b.StartTimer()
	var m holding
	for b.Loop() {
		m = holdElsewhere(b, r.store.Path(), server.URL)
	}
	if m.Listed != n || m.Live != n {
		b.Fatalf("the worker listed %d and holds %d", m.Listed, m.Live)
	}
	b.ReportMetric(m.Resident/1024, "resident-MiB")
	b.ReportMetric(m.Mapped/1024, "mapped-MiB")
	b.ReportMetric(m.Peak/1024, "peak-MiB")
	b.ReportMetric(m.Open, "open-ms")
	b.ReportMetric(m.Idle, "idle-core-%")
	b.ReportMetric(float64(size)/float64(n), "bytes/publication")
	b.ReportMetric(0, "ns/op") // mostly waiting
}

// The variables that make this binary the worker of the benchmark: its store, and its marketplace.
const (
	holdStore = "CONNECTOR_BENCHMARK_STORE"
	holdURL   = "CONNECTOR_BENCHMARK_URL"
)

// A holding is what a worker that holds publications says of itself.
type holding struct {
	Listed, Live           int
	Resident, Mapped, Peak float64 // kibibytes
	Open                   float64 // milliseconds
	Idle                   float64 // percent of a core
}

// init is the way into the worker's process: it is this binary, and no test of it runs there.
func init() {
	path := os.Getenv(holdStore)
	if path == "" {
		return
	}
	m, err := hold(context.Background(), path, os.Getenv(holdURL))
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(m)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func holdElsewhere(b *testing.B, path, url string) (m holding) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.CommandContext(b.Context(), self)
	cmd.Env = append(os.Environ(), holdStore+"="+path, holdURL+"="+url)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	if err := cmd.Run(); err != nil {
		b.Fatalf("worker: %v: %s", err, &complaint)
	}
	if err := json.Unmarshal(out.Bytes(), &m); err != nil {
		b.Fatalf("worker said %q: %v", &out, err)
	}
	return m
}

const (
	idleSettles = 3 * time.Second // until what the enumeration has left is cleared away
	idleSpan    = 20 * time.Second
)

// hold is a worker until it has enumerated the list and has nothing to do.
func hold(ctx context.Context, path, url string) (m holding, err error) {
	start := time.Now()
	s, err := bolt.Open(path)
	if err != nil {
		return m, err
	}
	m.Open = milliseconds(time.Since(start))
	c, _ := assemble(s, marketplace.Config{URL: url}, nil)
	ctx, stop := context.WithTimeout(context.Background(), 10*time.Minute)
	defer stop()
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, &connector.Listeners{}) }()
	c.AskFor(true)
	for due := 0; m.Listed == 0 || due > 0; time.Sleep(10 * time.Millisecond) {
		status, err := c.Desk().Status(ctx)
		if err != nil {
			return m, err
		}
		full := status.Sweeps.Full
		m.Listed, due = full.Listed, status.Due
		if full.Error != "" || ctx.Err() != nil {
			return m, fmt.Errorf("enumerate: %s %w", full.Error, ctx.Err())
		}
	}
	counts, err := s.Counts(ctx)
	if err != nil {
		return m, err
	}
	m.Live = counts[store.StateLive]
	time.Sleep(idleSettles)
	before, err := cpuSince()
	if err != nil {
		return m, err
	}
	time.Sleep(idleSpan)
	after, err := cpuSince()
	if err != nil {
		return m, err
	}
	m.Idle = 100 * (after - before).Seconds() / idleSpan.Seconds()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return m, err
	}
	m.Resident, m.Peak = kibibytes(status, "VmRSS"), kibibytes(status, "VmHWM")
	m.Mapped = kibibytes(status, "RssFile") + kibibytes(status, "RssShmem") // the second where the store lies in memory
	stop()
	return m, errors.Join(<-done, s.Close())
}

// kibibytes reads one line of the kernel's account of a process.
func kibibytes(status []byte, name string) float64 {
	for line := range strings.Lines(string(status)) {
		if key, value, _ := strings.Cut(line, ":"); key == name {
			n, err := strconv.ParseFloat(strings.Fields(value)[0], 64)
			if err == nil {
				return n
			}
		}
	}
	return 0
}
