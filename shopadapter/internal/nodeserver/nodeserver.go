// Package nodeserver runs a shop's server, or a fixture, as a child process of end-to-end tests: a script for Node
// that prints "listening on port N" when ready, and ends with its standard input.
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
	Name     string // in errors
	Dir      string
	Script   string
	Env      []string      // added to this process's
	Patience time.Duration // until the server is ready
}

// A Server is a running server.
type Server struct {
	URL string // http://127.0.0.1:port

	process *exec.Cmd
	stdin   io.Closer
	output  *output
	ended   chan struct{} // closed when the process has ended
	grace   time.Duration // for its end
}

// Start runs the command and waits until the server is ready. Stop or the end of ctx ends it.
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
	// Standard input ends the script also if the test binary was killed.
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

// Stop ends the server's process group and waits for it. It may be called again.
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

// Output returns the text that the server has printed so far.
func (s *Server) Output() string {
	s.output.mu.Lock()
	defer s.output.mu.Unlock()
	return s.output.text.String()
}

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
