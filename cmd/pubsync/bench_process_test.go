// How the tests start the program, read what it prints, and end it.

package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// settings is the environment a process gets, whole: nothing of the test's own reaches it.
type settings map[string]string

// with is a copy with pairs of name and value set, the names without their prefix. An empty value
// takes a setting away.
func (s settings) with(pairs ...string) settings {
	out := maps.Clone(s)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			delete(out, "PUBSYNC_"+pairs[i])
		} else {
			out["PUBSYNC_"+pairs[i]] = pairs[i+1]
		}
	}
	return out
}

func (s settings) environ() []string {
	env := make([]string, 0, len(s))
	for _, name := range slices.Sorted(maps.Keys(s)) {
		env = append(env, name+"="+s[name])
	}
	return env
}

type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr output
	ended          chan struct{}
}

// launch starts the program in a folder. It is ended with the test at the latest.
func launch(t *testing.T, dir string, env settings, args ...string) *process {
	t.Helper()
	return start(t, dir, env, exec.Command(binary, args...))
}

func start(t *testing.T, dir string, env settings, cmd *exec.Cmd) *process {
	t.Helper()
	p := spawn(t, dir, env, cmd)
	t.Cleanup(func() {
		p.kill()
		if t.Failed() {
			p.tell()
		}
	})
	return p
}

func spawn(t *testing.T, dir string, env settings, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, ended: make(chan struct{})}
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, env.environ(), &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.ended)
		_ = p.cmd.Wait() //nolint:errcheck // the exit code is read from the state
	}()
	return p
}

func (p *process) tell() {
	p.t.Helper()
	p.t.Logf("pubsync %s\nstdout: %s\nstderr: %s", strings.Join(p.cmd.Args[1:], " "), tail(p.stdout.String()),
		tail(p.stderr.String()))
}

// tail is the end of a long text, with the beginning of a trace where there is one: it says why.
func tail(s string) string {
	const most = 1500
	trace := max(strings.Index(s, "panic:"), strings.Index(s, "fatal error:"))
	switch {
	case len(s) <= most:
		return s
	case trace >= 0:
		return "…" + s[trace:min(len(s), trace+2*most)] + "…"
	default:
		return "…" + s[len(s)-most:]
	}
}

func (p *process) signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatal(err)
	}
}

// kill ends it at once, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() //nolint:errcheck // it may have ended
	<-p.ended
}

// code is the exit code, once the process has ended within the time given. A process that was
// killed has -1.
func (p *process) code(within time.Duration) int {
	p.t.Helper()
	select {
	case <-p.ended:
	case <-time.After(slack * within):
		p.kill()
		p.t.Fatalf("pubsync %s has not ended within %s", strings.Join(p.cmd.Args[1:], " "), slack*within)
	}
	return p.cmd.ProcessState.ExitCode()
}

// running reports whether it has not ended.
func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

type result struct {
	code           int
	stdout, stderr string
}

// commandBound is how long a command may take that is not said to take longer.
const commandBound = 40 * time.Second

func call(t *testing.T, dir string, env settings, args ...string) result {
	t.Helper()
	p := launch(t, dir, env, args...)
	code := p.code(commandBound)
	return result{code: code, stdout: p.stdout.String(), stderr: p.stderr.String()}
}

func (r result) decode(t *testing.T, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.stdout), into); err != nil {
		t.Fatalf("standard output is not one JSON document: %v\nstdout: %s\nstderr: %s", err, tail(r.stdout), tail(r.stderr))
	}
}

// slack is how many times longer something may take here than on a machine that does nothing else:
// other packages' tests run beside these, in CI under the race detector. A bound tells a wait that
// ends from one that does not. How long things take is for the benchmarks to say.
const slack = 8

// eventually waits until a condition holds. It fails the test when that takes longer than it may on
// a quiet machine, with slack.
func eventually(t *testing.T, within time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(slack * within)
	for start := time.Now(); !holds(); start = time.Now() {
		if start.After(deadline) {
			t.Fatalf("not within %s: %s", slack*within, what)
		}
		rest(t, time.Since(start))
	}
}

// logs waits until the process has written a text to its standard error.
func (p *process) logs(text string) {
	p.t.Helper()
	eventually(p.t, 5*time.Second, fmt.Sprintf("the log says %q", text), func() bool {
		return strings.Contains(p.stderr.String(), text)
	})
}

func throughout(t *testing.T, span time.Duration, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(span)
	for start := time.Now(); start.Before(deadline); start = time.Now() {
		if !holds() {
			t.Fatalf("no longer: %s", what)
		}
		rest(t, time.Since(start))
	}
}

// rest waits before a condition is asked again: 20 ms, or longer where asking took long since it
// started a process, so that polling leaves the processors to the program under test.
func rest(t *testing.T, took time.Duration) {
	t.Helper()
	select {
	case <-time.After(min(max(20*time.Millisecond, 8*took), time.Second/2)):
	case <-t.Context().Done():
		t.Fatal(t.Context().Err())
	}
}

func writeFile(path, content string) error { return os.WriteFile(path, []byte(content), 0o600) }
