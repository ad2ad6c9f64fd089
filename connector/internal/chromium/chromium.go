// Package chromium drives a real browser for tests of what only a browser can tell.
package chromium

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// A Browser is a real browser without a window, spoken to over two pipes in its debugging protocol: JSON messages, each ended by a zero byte.
type Browser struct {
	in io.Writer

	mu      sync.Mutex
	last    int
	waiting map[int]chan message
	tabs    map[string]*Tab
	gone    error
}

type message struct {
	ID      int             `json:"id,omitempty"`
	Session string          `json:"sessionId,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// Start starts the browser that PUBSYNC_TEST_CHROMIUM names and ends it with the test.
func Start(t *testing.T) *Browser {
	t.Helper()
	path := os.Getenv("PUBSYNC_TEST_CHROMIUM")
	if path == "" {
		t.Skip("PUBSYNC_TEST_CHROMIUM names no Chromium: what only a browser can tell is not looked at")
	}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background()) //nolint:usetesting // the browser outlives the test's context until it is told to close
	profile, err := os.MkdirTemp("", "pubsync-chromium-")   // not the test's own: the browser's children write to it for a moment after its end
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, path, //nolint:gosec // whoever runs the tests names the browser
		"--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir="+profile, "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	c := &Browser{in: ourIn, waiting: map[int]chan message{}, tabs: map[string]*Tab{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(ourOut)
	}()
	t.Cleanup(func() {
		closing := time.AfterFunc(10*time.Second, cancel)
		_ = c.send(message{Method: "Browser.close"}) // where it is gone already, Wait says so
		_ = cmd.Wait()                               // whatever it ends with: the test is over
		closing.Stop()
		cancel()
		ourIn.Close()
		ourOut.Close()
		<-read
		for range 100 {
			if err = os.RemoveAll(profile); err == nil {
				return
			}
			<-time.After(20 * time.Millisecond)
		}
		t.Logf("left behind: %v", err)
	})
	return c
}

func (c *Browser) send(m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(data, 0))
	return err
}

func (c *Browser) read(from io.Reader) {
	in := bufio.NewReader(from)
	for {
		data, err := in.ReadBytes(0)
		if err != nil {
			c.mu.Lock()
			c.gone = fmt.Errorf("browser ended: %w", err)
			for id, waiting := range c.waiting {
				close(waiting)
				delete(c.waiting, id)
			}
			c.mu.Unlock()
			return
		}
		var m message
		if json.Unmarshal(data[:len(data)-1], &m) != nil {
			continue
		}
		c.mu.Lock()
		if waiting := c.waiting[m.ID]; m.ID != 0 && waiting != nil {
			delete(c.waiting, m.ID)
			waiting <- m
		} else if tab := c.tabs[m.Session]; tab != nil {
			tab.happened(m)
		}
		c.mu.Unlock()
	}
}

// call sends a command and waits for its result.
func (c *Browser) call(ctx context.Context, session, method string, params, result any) error {
	answer := make(chan message, 1)
	c.mu.Lock()
	if c.gone != nil {
		c.mu.Unlock()
		return c.gone
	}
	c.last++
	m := message{ID: c.last, Session: session, Method: method, Params: params}
	c.waiting[m.ID] = answer
	err := c.send(m)
	c.mu.Unlock()
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case got, ok := <-answer:
		switch {
		case !ok:
			return errors.New(method + ": the browser ended")
		case got.Error != nil:
			return errors.New(method + ": " + got.Error.Message)
		case result != nil:
			return json.Unmarshal(got.Result, result)
		}
		return nil
	}
}
