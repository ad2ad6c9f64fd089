// Package nodeserver runs a shop's server as a child process of end-to-end tests: a script for Node that prints
// "listening on port N" when ready, and ends with its standard input, so also when the test is killed.
package nodeserver

import (
	"bytes"
	"context"
	"fmt"
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

	output *output
	end    context.CancelFunc
	ended  chan struct{} // closed when the process has ended
}

// Start runs the command and waits until the server is ready. Stop or the end of ctx ends it.
func Start(ctx context.Context, c Command) (*Server, error) {
	ready := make(chan string, 1)
	s := &Server{output: &output{port: ready}, ended: make(chan struct{})}
	ctx, s.end = context.WithCancel(ctx)
	process := exec.CommandContext(ctx, "node", c.Script)
	process.Dir, process.Env = c.Dir, append(os.Environ(), c.Env...)
	process.Stdout, process.Stderr = s.output, s.output
	stdin, err := process.StdinPipe()
	if err == nil {
		process.Cancel, process.WaitDelay = stdin.Close, 2*time.Second // then it is killed
		err = process.Start()
	}
	if err != nil {
		s.end()
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	go func() {
		defer close(s.ended)
		_ = process.Wait()
	}()
	select {
	case port := <-ready:
		s.URL = "http://127.0.0.1:" + port
		return s, nil
	case <-s.ended:
		err = fmt.Errorf("%s ended before it was ready: %s", c.Name, s.Output())
	case <-time.After(c.Patience):
		err = fmt.Errorf("%s was not ready after %s: %s", c.Name, c.Patience, s.Output())
	}
	s.Stop()
	return nil, err
}

// Stop ends the server and waits for it. It may be called again.
func (s *Server) Stop() {
	s.end()
	<-s.ended
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
	port chan string // nil once it is known
}

var listening = regexp.MustCompile(`listening on port (\d+)\n`)

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text.Write(p)
	if o.port == nil {
		return len(p), nil
	}
	if found := listening.FindSubmatch(o.text.Bytes()); found != nil {
		o.port <- string(found[1])
		o.port = nil
	}
	return len(p), nil
}
