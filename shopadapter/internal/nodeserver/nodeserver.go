// Package nodeserver runs a shop's own server, or a fixture in its place, as a child process for
// end-to-end tests. It is a script for Node that prints "listening on port N" when it is ready. It
// ends when its standard input does.
package nodeserver

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"sync"
	"time"
)

// A Command says what to run.
type Command struct {
	Name     string        // in errors
	Dir      string        // the script's folder
	Script   string        // the script's file
	Env      []string      // beside the environment of this process
	Patience time.Duration // how long the server may take to be ready
}

// A Server is a running server.
type Server struct {
	URL string // its origin, http://127.0.0.1:port

	process *exec.Cmd
	stdin   io.Closer
	output  *output
	ended   chan struct{} // closed when the process has ended
	grace   time.Duration // how long it may take to end
}

// Start runs the command and waits until the server is ready. Stop ends it; so does the end of ctx.
func Start(ctx context.Context, c Command) (*Server, error) {
	s := &Server{
		process: exec.CommandContext(ctx, "node", c.Script), output: &output{port: make(chan string, 1)},
		ended: make(chan struct{}), grace: min(5*time.Second, c.Patience),
	}
	s.process.Dir, s.process.Env = c.Dir, append(os.Environ(), c.Env...)
	s.process.Stdout, s.process.Stderr = s.output, s.output
	ownGroup(s.process)
	s.process.Cancel = func() error { return endGroup(s.process.Process, true) }
	s.process.WaitDelay = s.grace
	var err error
	// The script ends when its standard input does, which covers a test binary that was killed and
	// could not stop anything.
	if s.stdin, err = s.process.StdinPipe(); err == nil {
		err = s.process.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	go func() {
		defer close(s.ended)
		_ = s.process.Wait()
	}()
	select {
	case port := <-s.output.port:
		s.URL = "http://127.0.0.1:" + port
		return s, nil
	case <-s.ended:
		err = fmt.Errorf("%s ended before it was ready: %s", c.Name, s.Output())
	case <-time.After(c.Patience):
		err = fmt.Errorf("%s was not ready after %s: %s", c.Name, c.Patience, s.Output())
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.Stop()
	return nil, err
}

// Stop ends the server's process group and waits for it. Calling it again does nothing.
func (s *Server) Stop() {
	select {
	case <-s.ended:
		return
	default:
	}
	_ = s.stdin.Close()
	_ = endGroup(s.process.Process, false)
	select {
	case <-s.ended:
	case <-time.After(s.grace):
		_ = endGroup(s.process.Process, true)
		<-s.ended
	}
}

// Output is what the server printed.
func (s *Server) Output() string {
	s.output.mu.Lock()
	defer s.output.mu.Unlock()
	return s.output.text.String()
}

// An output keeps what a server prints, and tells its port once that stands there.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
	port chan string
	told bool
}

var listening = regexp.MustCompile(`listening on port (\d+)\n`)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if o.told {
		return len(p), nil
	}
	if found := listening.FindSubmatch(o.text.Bytes()); found != nil {
		o.told = true
		o.port <- string(found[1])
	}
	return len(p), nil
}
