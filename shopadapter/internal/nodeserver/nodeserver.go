// Package nodeserver runs a shop's own server, or a fixture in its place, as a child process for
// end-to-end tests. It is a script for Node that prints "listening on port N" when it is ready. It
// ends when its standard input does.
package nodeserver

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
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
	output  *tail
	ended   chan struct{} // closed when the process has ended
	grace   time.Duration // how long it may take to end
}

// Start runs the command and waits until the server is ready. Stop ends it; so does the end of ctx.
func Start(ctx context.Context, c Command) (*Server, error) {
	s := &Server{output: &tail{}, ended: make(chan struct{}), grace: min(5*time.Second, c.Patience)}
	s.process = exec.CommandContext(ctx, "node", c.Script)
	s.process.Dir = c.Dir
	s.process.Env = append(os.Environ(), c.Env...)
	ownGroup(s.process)
	s.process.Cancel = func() error { return endGroup(s.process.Process, true) }
	s.process.WaitDelay = s.grace
	var err error
	// The script ends when its standard input does, which covers a test binary that was killed and
	// could not stop anything.
	if s.stdin, err = s.process.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	reader, writer := io.Pipe()
	s.process.Stdout, s.process.Stderr = writer, s.output
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Name, err)
	}
	go func() {
		defer close(s.ended)
		_ = s.process.Wait()
		_ = writer.Close()
	}()
	if err := s.await(ctx, c, reader); err != nil {
		s.Stop()
		return nil, err
	}
	return s, nil
}

// await reads the server's port.
func (s *Server) await(ctx context.Context, c Command, output io.Reader) error {
	port := make(chan string, 1)
	go readPort(io.TeeReader(output, s.output), port)
	select {
	case number, ok := <-port:
		if !ok {
			return fmt.Errorf("%s ended before it was ready: %s", c.Name, s.output)
		}
		s.URL = "http://127.0.0.1:" + number
		return nil
	case <-time.After(c.Patience):
		return fmt.Errorf("%s was not ready after %s: %s", c.Name, c.Patience, s.output)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// readPort sends the port that the server prints, and drains what follows. The channel is closed
// when the output ends without one.
func readPort(output io.Reader, port chan<- string) {
	defer close(port)
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if number, ok := strings.CutPrefix(lines.Text(), "listening on port "); ok {
			port <- number
			break
		}
	}
	_, _ = io.Copy(io.Discard, output)
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

// Output is the end of what the server printed.
func (s *Server) Output() string { return s.output.String() }

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
	if over := t.text.Len() - tailSize; over > 0 {
		t.text.Next(over)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
