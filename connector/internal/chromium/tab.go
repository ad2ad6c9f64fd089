package chromium

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// A Tab is one page of the browser, in a profile of its own.
type Tab struct {
	T       *testing.T // is failed by what the page does not do
	c       *Browser
	session string

	faults  []string      // exceptions and what the policy refused; guarded by Browser.mu
	expired chan struct{} // virtual time has run out
}

// Values are the parameters of a command of the debugging protocol.
type Values map[string]any

// Open opens an address and holds the page, at the end of the test, to having met no fault.
func (c *Browser) Open(t *testing.T, address string, width int) *Tab {
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
		params func() Values
		result any
	}{
		{"Target.createBrowserContext", func() Values { return Values{} }, &profile},
		{"Target.createTarget", func() Values { return Values{"url": "about:blank", "browserContextId": profile.ID} }, &target},
		{"Target.attachToTarget", func() Values { return Values{"targetId": target.ID, "flatten": true} }, &attached},
	} {
		if err := c.call(t.Context(), "", step.method, step.params(), step.result); err != nil {
			t.Fatal(err)
		}
	}
	p := &Tab{T: t, c: c, session: attached.Session, expired: make(chan struct{}, 1)}
	c.mu.Lock()
	c.tabs[p.session] = p
	c.mu.Unlock()
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		p.Do(domain+".enable", Values{})
	}
	p.Do("Emulation.setDeviceMetricsOverride", Values{"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600})
	p.Do("Page.navigate", Values{"url": address})
	t.Cleanup(func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, fault := range p.faults {
			t.Errorf("in the page: %s", fault)
		}
		delete(c.tabs, p.session)
		_ = c.send(message{Method: "Target.disposeBrowserContext", Params: Values{"browserContextId": profile.ID}}) // the next test has its own
	})
	return p
}

// happened takes an event; Browser.mu is held. Refused connections are for the page to bear, and no fault.
func (p *Tab) happened(m message) {
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

// Do sends a command of the debugging protocol.
func (p *Tab) Do(method string, params Values) {
	p.T.Helper()
	if err := p.c.call(p.T.Context(), p.session, method, params, nil); err != nil {
		p.T.Fatal(err)
	}
}

// Eval is the value of an expression in the page; a promise is awaited.
func (p *Tab) Eval(expression string) any {
	p.T.Helper()
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
	params := Values{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}
	if err := p.c.call(p.T.Context(), p.session, "Runtime.evaluate", params, &got); err != nil {
		p.T.Fatal(err)
	}
	if got.Exception != nil {
		p.T.Fatalf("%s: %s %s", expression, got.Exception.Text, got.Exception.Exception.Description)
	}
	return got.Result.Value
}

// Until waits for an expression to become true; it looks once a frame. Where it does not within ten seconds, the test ends with what the page shows.
func (p *Tab) Until(expression string) {
	p.T.Helper()
	shown := p.Eval(`new Promise((done) => {
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
		p.T.Fatalf("never came true: %s\nthe page shows:\n%s", expression, shown)
	}
}

// Text is what a person reads in the first element that a selector finds.
func (p *Tab) Text(selector string) string {
	p.T.Helper()
	text, ok := p.Eval(`document.querySelector(` + Quoted(selector) + `)?.innerText`).(string)
	if !ok {
		p.T.Fatalf("nothing in the page is %s", selector)
	}
	return text
}

// Press presses the button that has this label and is visible.
func (p *Tab) Press(label string) {
	p.T.Helper()
	button := `[...document.querySelectorAll("button")].find((b) => b.innerText.trim() === ` + Quoted(label) + ` && b.checkVisibility())`
	p.Until(button)
	p.Eval(button + `.click()`)
}

// Key presses a key by its name.
func (p *Tab) Key(name string) {
	p.T.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p.Do("Input.dispatchKeyEvent", Values{"type": kind, "key": name, "code": name, "windowsVirtualKeyCode": map[string]int{"Escape": 27, "Tab": 9}[name]})
	}
}

// Pass lets that much of the page's time pass, at once.
func (p *Tab) Pass(d time.Duration) {
	p.T.Helper()
	p.Do("Emulation.setVirtualTimePolicy", Values{"policy": "pauseIfNetworkFetchesPending", "budget": d.Milliseconds()})
	select {
	case <-p.expired:
	case <-time.After(20 * time.Second):
		p.T.Fatal("the page's time did not pass")
	}
}

// Quoted is a text as a literal of the page's language.
func Quoted(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string always has a JSON form
	}
	return string(data)
}

// Go opens another address in the tab.
func (p *Tab) Go(address string) {
	p.T.Helper()
	p.Do("Page.navigate", Values{"url": address})
}

// navigating is for how long the steps from one page to another may take.
const navigating = time.Minute

// Shows waits for a page that shows a text, over navigations, during which no page can be asked. Where none comes the test ends with what is shown.
func (p *Tab) Shows(text string) {
	p.T.Helper()
	params := Values{"expression": `document.readyState === "complete" ? document.body.innerText : ""`, "returnByValue": true}
	var shown string
	for end := time.Now().Add(navigating); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		var got struct {
			Result struct {
				Value string `json:"value"`
			} `json:"result"`
		}
		if p.c.call(p.T.Context(), p.session, "Runtime.evaluate", params, &got) != nil {
			continue
		}
		if shown = got.Result.Value; strings.Contains(shown, text) {
			return
		}
	}
	p.T.Fatalf("never shown: %s\nthe page shows:\n%s", text, shown)
}
