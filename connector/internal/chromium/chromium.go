// Package chromium drives a real browser for tests that need one.
package chromium

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A Browser has no window.
type Browser struct{ ctx context.Context }

// Start starts the browser that PUBSYNC_TEST_CHROMIUM names, until the test ends.
func Start(t *testing.T) *Browser {
	t.Helper()
	path := os.Getenv("PUBSYNC_TEST_CHROMIUM")
	if path == "" {
		t.Skip("PUBSYNC_TEST_CHROMIUM names no Chromium: what only a browser can tell is not looked at")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU)
	ctx, end := chromedp.NewExecAllocator(context.Background(), options...) //nolint:usetesting // it ends after the tabs
	t.Cleanup(end)
	ctx, end = chromedp.NewContext(ctx)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	return &Browser{ctx}
}

// A Tab is a page in a profile of its own.
type Tab struct {
	T   *testing.T
	ctx context.Context
}

// Open opens an address. Exceptions in the page, and what its policy refuses, fail the test.
func (c *Browser) Open(t *testing.T, address string, width int) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext())
	var reading sync.WaitGroup
	t.Cleanup(func() {
		end()
		reading.Wait()
	})
	messages := chromedp.Console(ctx)
	reading.Go(func() {
		for m, err := range messages {
			// the page must cope with refused connections
			logged := m.Source != "" && m.Source != string(log.EntrySourceNetwork)
			if err == nil && (logged || m.IsException()) {
				t.Errorf("in the page: %s", m.Text)
			}
		}
	})
	viewport := chromedp.EmulateViewport(int64(width), 900)
	if width < 600 {
		viewport = chromedp.EmulateViewport(int64(width), 900, chromedp.EmulateMobile)
	}
	p := &Tab{T: t, ctx: ctx}
	p.must(chromedp.Do(ctx, viewport))
	p.Go(address)
	return p
}

func (p *Tab) must(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}

// Go loads another address.
func (p *Tab) Go(address string) {
	p.T.Helper()
	p.must(chromedp.Do(p.ctx, chromedp.Navigate(address)))
}

// Prefer sets the preferred color scheme, "light" or "dark".
func (p *Tab) Prefer(scheme string) {
	p.T.Helper()
	_, err := chromedp.Call(p.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	p.must(err)
}

// Eval returns an expression's value; it awaits a promise. The expression counts as a person's act.
func (p *Tab) Eval(expression string) (value any) {
	p.T.Helper()
	data, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise, chromedp.EvalAsValue,
		func(e *runtime.EvaluateParams) { e.UserGesture = new(true) }))
	if err == nil && len(data) > 0 {
		err = json.Unmarshal(data, &value)
	}
	if err != nil {
		p.T.Fatalf("%s: got %s, %v", expression, data, err)
	}
	return value
}

// Until waits up to a minute, across navigations, for an expression to become true: a busy machine is ten times as
// slow.
func (p *Tab) Until(expression string) {
	p.T.Helper()
	met := chromedp.Evaluate[bool](`(() => { try { return !!(` + expression + `); } catch { return false; } })()`)
	for end := time.Now().Add(time.Minute); time.Now().Before(end); <-time.After(16 * time.Millisecond) {
		if is, err := chromedp.Run(p.ctx, met); err == nil && is {
			return
		}
	}
	p.T.Fatalf("never came true: %s\nthe page shows:\n%s", expression, p.Text("body"))
}

// Shows waits for a text in the page.
func (p *Tab) Shows(text string) {
	p.T.Helper()
	p.Until(`document.readyState === "complete" && document.body.innerText.includes(` + Quoted(text) + `)`)
}

// Text returns the visible text of the selector's first element.
func (p *Tab) Text(selector string) string {
	p.T.Helper()
	return fmt.Sprint(p.Eval(`document.querySelector(` + Quoted(selector) + `).innerText`))
}

// Press presses the visible button with this label, or a link like one.
func (p *Tab) Press(label string) {
	p.T.Helper()
	button := `[...document.querySelectorAll("button, a.button")].find((b) =>
		b.checkVisibility() && b.innerText.trim() === ` + Quoted(label) + `)`
	p.Until(button)
	p.Eval(button + `.click()`)
}

// Key presses Escape, Tab or Enter.
func (p *Tab) Key(name string) {
	p.T.Helper()
	keys := map[string]string{"Escape": kb.Escape, "Tab": kb.Tab, "Enter": kb.Enter}
	p.must(chromedp.Do(p.ctx, chromedp.KeyEvent(keys[name])))
}

// Pass advances the page's time at once.
func (p *Tab) Pass(d time.Duration) {
	p.T.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, 20*time.Second)
	defer cancel()
	passed, stop := iter.Pull2(chromedp.Events(ctx, emulation.VirtualTimeBudgetExpired))
	defer stop()
	_, err := chromedp.Call(ctx, emulation.SetVirtualTimePolicy, emulation.SetVirtualTimePolicyParams{
		Policy: emulation.VirtualTimePolicyPauseIfNetworkFetchesPending, Budget: new(float64(d.Milliseconds())),
	})
	p.must(err)
	_, err, _ = passed()
	p.must(err)
}

// Quoted returns a JavaScript literal.
func Quoted(text string) string { return strconv.Quote(text) }
