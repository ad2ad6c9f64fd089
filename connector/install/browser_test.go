package install

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pubsync/pubsync/connector/internal/chromium"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A town is a house whose app and marketplace a browser can reach, and a tab that shows the consent
// page.
type town struct {
	*house
	tab *chromium.Tab
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
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.handler.ServeHTTP(w, r)
	}))
	t.Cleanup(app.Close)
	o := h.handler.Options
	o.AuthURL, o.Origin, o.Transport = office.URL, app.URL, nil
	h.handler = NewHandler(o)
	v := &town{h, c.Open(t, h.box.InstallURL(app.URL+Path, ""), 1000)}
	v.tab.Shows("asks for access")
	return v
}

// TestBrowser walks the installation in a real browser: what a browser alone can tell is whether the
// cookie comes back with the redirect, and whether the pages show.
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
		{"another browser", func(v *town) {
			redirect := v.browser().consent(v.tab.Eval(`location.href`).(string), sandbox.Consent{})
			v.tab = c.Open(v.t, redirect, 1000)
		}, "This installation was not begun in this browser", false},
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
		})
	}
}
