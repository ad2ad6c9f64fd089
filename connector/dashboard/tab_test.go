package dashboard_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

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
