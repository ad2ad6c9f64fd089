package chromium

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// A Tab is a page in a profile of its own.
type Tab struct {
	T   *testing.T
	ctx context.Context

	mu     sync.Mutex
	faults []string // exceptions and what the policy refused
}

// Open opens an address. The page's faults fail the test at its end.
func (c *Browser) Open(t *testing.T, address string, width int) *Tab {
	t.Helper()
	ctx, end := chromedp.NewContext(c.ctx, chromedp.WithNewBrowserContext())
	p := &Tab{T: t, ctx: ctx}
	t.Cleanup(func() {
		end()
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, fault := range p.faults {
			t.Errorf("in the page: %s", fault)
		}
	})
	if err := chromedp.Listen(ctx, p.happened); err != nil {
		t.Fatal(err)
	}
	viewport := chromedp.EmulateViewport(int64(width), 900)
	if width < 600 {
		viewport = chromedp.EmulateViewport(int64(width), 900, chromedp.EmulateMobile)
	}
	p.do(viewport)
	p.Go(address)
	return p
}

// happened ignores refused connections: the page must cope with them.
func (p *Tab) happened(event any) {
	var fault string
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		if fault = e.ExceptionDetails.Text; e.ExceptionDetails.Exception != nil {
			fault += " " + e.ExceptionDetails.Exception.Description
		}
	case *log.EventEntryAdded:
		if e.Entry.Source == log.EntrySourceNetwork {
			return
		}
		fault = e.Entry.Text
	default:
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.faults = append(p.faults, fault)
}

func (p *Tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.T.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.T.Fatal(err)
	}
}

// Go loads another address.
func (p *Tab) Go(address string) {
	p.T.Helper()
	p.do(chromedp.Navigate(address))
}

// Prefer sets the preferred color scheme, "light" or "dark".
func (p *Tab) Prefer(scheme string) {
	p.T.Helper()
	p.do(func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return chromedp.Void{}, err
	})
}

// Eval returns an expression's value; it awaits a promise.
func (p *Tab) Eval(expression string) any {
	p.T.Helper()
	data, err := chromedp.Run(p.ctx, chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise, byUser))
	if err != nil {
		p.T.Fatalf("%s: %v", expression, err)
	}
	var value any
	if len(data) > 0 && json.Unmarshal(data, &value) != nil {
		p.T.Fatalf("%s: got %s, want JSON", expression, data)
	}
	return value
}

// byUser has an expression count as a person's act.
func byUser(e *runtime.EvaluateParams) {
	yes := true
	e.UserGesture, e.ReturnByValue = &yes, &yes
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
	text, ok := p.Eval(`document.querySelector(` + Quoted(selector) + `)?.innerText`).(string)
	if !ok {
		p.T.Fatalf("nothing in the page is %s", selector)
	}
	return text
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
	p.do(chromedp.KeyEvent(map[string]string{"Escape": kb.Escape, "Tab": kb.Tab, "Enter": kb.Enter}[name]))
}

// Pass advances the page's time at once.
func (p *Tab) Pass(d time.Duration) {
	p.T.Helper()
	budget := float64(d.Milliseconds())
	begin := func(ctx context.Context, t *chromedp.Target) (chromedp.Void, error) {
		_, err := cdp.Call(ctx, t, emulation.SetVirtualTimePolicy, emulation.SetVirtualTimePolicyParams{
			Policy: emulation.VirtualTimePolicyPauseIfNetworkFetchesPending, Budget: &budget,
		})
		return chromedp.Void{}, err
	}
	ctx, cancel := context.WithTimeout(p.ctx, 20*time.Second)
	defer cancel()
	always := func(emulation.EventVirtualTimeBudgetExpired) bool { return true }
	if _, err := chromedp.Run(ctx, chromedp.WaitEvent(emulation.VirtualTimeBudgetExpired, always, begin)); err != nil {
		p.T.Fatalf("the page's time did not pass: %v", err)
	}
}

// Quoted returns a JavaScript literal.
func Quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(data)
}
