package install

import (
	"net"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A town is a house whose app and marketplace a browser can reach, and a tab that shows the consent
// page.
type town struct {
	*house
	tab    *chromium.Tab
	origin string
}

// newTown opens the application address as the marketplace's back office does.
func newTown(t *testing.T, c *chromium.Browser) *town {
	t.Helper()
	h := newHouse(t, sandbox.Options{})
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	office := sandbox.Serve(h.box, socket)
	t.Cleanup(office.Close)
	app := httptest.NewServer(h.handler)
	t.Cleanup(app.Close)
	h.handler.AuthURL, h.handler.Origin, h.handler.client = office.URL, app.URL, newClient(nil, "pubsync")
	v := &town{h, c.Open(t, h.box.InstallURL(app.URL+Path, ""), 1000), app.URL}
	v.tab.Shows("asks for access")
	return v
}

// exchangesFail injects a fault of the exchange.
func (v *town) exchangesFail(f sandbox.Fault) {
	f.Next, f.On = 1, []sandbox.Kind{sandbox.KindExchange}
	v.box.Inject(f)
}

// state is that of the consent page which the tab shows.
func (v *town) state() string {
	state, _ := v.tab.Eval(`new URLSearchParams(location.search).get("state")`).(string)
	return state
}

// TestBrowser walks the installation in a real browser, with everything that may go wrong on the
// way.
func TestBrowser(t *testing.T) {
	c := chromium.Start(t)
	for _, tt := range []struct {
		name  string
		walk  func(*town)
		shows string
		kept  bool // a token is kept at the end
	}{
		{"approved", func(v *town) { v.tab.Press("Approve") }, "The app is installed", true},
		{"declined", func(v *town) { v.tab.Press("Decline") }, "The app was declined at the marketplace.", false},
		{"a scope is taken away", func(v *town) {
			v.tab.Eval(`document.querySelector("input[value=products_read]").click()`)
			v.tab.Press("Approve")
		}, "rights that were not granted: products_read.", false},
		{"the exchange fails", func(v *town) {
			v.exchangesFail(sandbox.Fault{Kind: sandbox.ServerError})
			v.tab.Press("Approve")
		}, "The marketplace gave no token: the marketplace answered HTTP 502.", false},
		{"the exchange hangs", func(v *town) {
			v.handler.client = wire.New(wire.Options{Timeout: time.Second})
			v.exchangesFail(sandbox.Fault{Kind: sandbox.Slow, Delay: time.Hour})
			v.tab.Press("Approve")
		}, "The marketplace gave no token: the marketplace did not answer within", false},
		{"a bad signature", func(v *town) {
			v.tab.Go(v.origin + CallbackPath + "?code=stolen&timestamp=1&state=" + v.state() + "&signature=00")
		}, "This request does not carry the marketplace's signature.", false},
		{"an old address", func(v *town) {
			v.tab.Go(v.box.SignedAt(time.Now().Add(-time.Hour), v.origin+Path, "account_id", "sandbox-retailer"))
		}, "This address is more than five minutes old", false},
		{"another state", func(v *town) {
			v.tab.Go(v.box.Signed(v.origin+CallbackPath, "account_id", "sandbox-retailer", "code", "c", "state", v.state()+"x"))
		}, "This installation was not begun in this browser", false},
		{"another browser", func(v *town) {
			redirect := v.browser().consent(v.tab.Eval(`location.href`).(string), sandbox.Consent{})
			v.tab = c.Open(v.t, redirect, 1000)
		}, "This installation was not begun in this browser", false},
		{"opened again", func(v *town) {
			state := v.state()
			v.tab.Press("Approve")
			v.tab.Shows("The app is installed")
			code := v.box.Exchanges()[0].Operation
			v.tab.Go(v.box.Signed(
				v.origin+CallbackPath, "account_id", "sandbox-retailer", "code", code, "state", state,
			))
		}, "or was answered before", true},
		{"a second account", func(v *town) {
			v.tab.Press("Approve")
			v.tab.Shows("The app is installed")
			v.tab.Go(v.box.InstallURL(v.origin+Path, "another-retailer"))
			v.tab.Shows("asks for access")
			v.tab.Eval(`document.querySelector("input[name=account]").value = "another-retailer"`)
			v.tab.Press("Approve")
		}, "This pubsync works for another account of the marketplace.", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := newTown(t, c)
			tt.walk(v)
			v.tab.Shows(tt.shows)
			if tt.kept {
				if v.kept() != v.box.InstalledTokens()[0] {
					t.Errorf("got %q kept, want the installed token", v.kept())
				}
				return
			}
			v.expectNothing()
			if shown := v.tab.Text("#advice"); shown == "" {
				t.Error("got no advice on the page, want some")
			}
		})
	}
}
