package dashboard_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// A chromium is a real browser without a window, spoken to over two pipes in its debugging protocol: JSON messages, each ended by a zero byte.
type chromium struct {
	in io.Writer

	mu      sync.Mutex
	last    int
	waiting map[int]chan message
	tabs    map[string]*tab
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

// startChromium starts the browser that PUBSYNC_TEST_CHROMIUM names and ends it with the test.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	path := os.Getenv("PUBSYNC_TEST_CHROMIUM")
	if path == "" {
		t.Skip("PUBSYNC_TEST_CHROMIUM names no Chromium: what only a browser can tell of the page is not looked at")
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
	cmd := exec.CommandContext(ctx, path, "--headless", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir="+t.TempDir(), "about:blank")
	cmd.ExtraFiles = []*os.File{theirIn, theirOut} // descriptors 3 and 4
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		cancel()
		t.Fatal(err)
	}
	theirIn.Close()
	theirOut.Close()
	c := &chromium{in: ourIn, waiting: map[int]chan message{}, tabs: map[string]*tab{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read(ourOut)
	}()
	t.Cleanup(func() {
		closing := time.AfterFunc(10*time.Second, cancel)
		_ = c.send(message{Method: "Browser.close"}) // where it is gone already, Wait says so
		<-read
		_ = cmd.Wait() // whatever it ends with: the test is over
		closing.Stop()
		cancel()
		ourIn.Close()
		ourOut.Close()
	})
	return c
}

func (c *chromium) send(m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = c.in.Write(append(data, 0))
	return err
}

func (c *chromium) read(from io.Reader) {
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
func (c *chromium) call(ctx context.Context, session, method string, params, result any) error {
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

// A tab is one page of the browser, in a profile of its own.
type tab struct {
	t       *testing.T
	c       *chromium
	session string

	faults  []string      // exceptions and what the policy refused; guarded by chromium.mu
	expired chan struct{} // virtual time has run out
}

type values map[string]any

// open opens an address and holds the page, at the end of the test, to having met no fault.
func (c *chromium) open(t *testing.T, address string, width int) *tab {
	t.Helper()
	var profile struct {
		ID string `json:"browserContextId"`
	}
	var target struct {
		ID string `json:"targetId"`
	}
	var attached struct {
		Session string `json:"sessionId"`
	}
	for _, step := range []struct {
		method string
		params func() values
		result any
	}{
		{"Target.createBrowserContext", func() values { return values{} }, &profile},
		{"Target.createTarget", func() values { return values{"url": "about:blank", "browserContextId": profile.ID} }, &target},
		{"Target.attachToTarget", func() values { return values{"targetId": target.ID, "flatten": true} }, &attached},
	} {
		if err := c.call(t.Context(), "", step.method, step.params(), step.result); err != nil {
			t.Fatal(err)
		}
	}
	p := &tab{t: t, c: c, session: attached.Session, expired: make(chan struct{}, 1)}
	c.mu.Lock()
	c.tabs[p.session] = p
	c.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.do(domain+".enable", values{})
	}
	p.do("Emulation.setDeviceMetricsOverride", values{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
	p.do("Page.navigate", values{"url": address})
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, fault := range p.faults {
			t.Errorf("in the page: %s", fault)
		}
		delete(c.tabs, p.session)
		_ = c.send(message{Method: "Target.disposeBrowserContext", Params: values{"browserContextId": profile.ID}}) // the next test has its own
	})
	return p
}

// happened takes an event; chromium.mu is held. Refused connections are for the page to bear, and no fault.
func (p *tab) happened(m message) {
	params, err := json.Marshal(m.Params)
	if err != nil {
		return
	}
	switch m.Method {
	case "Runtime.exceptionThrown":
		p.faults = append(p.faults, string(params))
	case "Log.entryAdded":
		if text := string(params); !strings.Contains(text, `"source":"network"`) {
			p.faults = append(p.faults, text)
		}
	case "Emulation.virtualTimeBudgetExpired":
		p.expired <- struct{}{}
	}
}

func (p *tab) do(method string, params values) {
	p.t.Helper()
	if err := p.c.call(p.t.Context(), p.session, method, params, nil); err != nil {
		p.t.Fatal(err)
	}
}

// eval is the value of an expression in the page; a promise is awaited.
func (p *tab) eval(expression string) any {
	p.t.Helper()
	var got struct {
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	params := values{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}
	if err := p.c.call(p.t.Context(), p.session, "Runtime.evaluate", params, &got); err != nil {
		p.t.Fatal(err)
	}
	if got.Exception != nil {
		p.t.Fatalf("%s: %s %s", expression, got.Exception.Text, got.Exception.Exception.Description)
	}
	return got.Result.Value
}

// until waits for an expression to become true; it looks once a frame. Where it does not within ten seconds, the test ends with what the page shows.
func (p *tab) until(expression string) {
	p.t.Helper()
	shown := p.eval(`new Promise((done) => {
		const end = performance.now() + 10000;
		(function look() {
			let met = false;
			try { met = (` + expression + `); } catch {}
			if (met) done("");
			else if (performance.now() > end) done(document.title + "\n" + document.body.innerText);
			else setTimeout(look, 16);
		})();
	})`)
	if shown != "" {
		p.t.Fatalf("never came true: %s\nthe page shows:\n%s", expression, shown)
	}
}

// text is what a person reads in the first element that a selector finds.
func (p *tab) text(selector string) string {
	p.t.Helper()
	text, ok := p.eval(`document.querySelector(` + quoted(selector) + `)?.innerText`).(string)
	if !ok {
		p.t.Fatalf("nothing in the page is %s", selector)
	}
	return text
}

// press presses the button that has this label and is visible.
func (p *tab) press(label string) {
	p.t.Helper()
	button := `[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === ` + quoted(label) + ` && b.checkVisibility())`
	p.until(button)
	p.eval(button + `.click()`)
}

// key presses a key by its name.
func (p *tab) key(name string) {
	p.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.do("Input.dispatchKeyEvent", values{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": map[string]int{"Escape": 27, "Tab": 9}[name]})
	}
}

// pass lets that much of the page's time pass, at once.
func (p *tab) pass(d time.Duration) {
	p.t.Helper()
	p.do("Emulation.setVirtualTimePolicy", values{"policy": "pauseIfNetworkFetchesPending", "budget": d.Milliseconds()})
	select {
	case <-p.expired:
	case <-time.After(20 * time.Second):
		p.t.Fatal("the page's time did not pass")
	}
}

// quoted is a text as a literal of the page's language.
func quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(data)
}
