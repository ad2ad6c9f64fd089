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

// TestBrowser walks the installation in a real browser, which alone can tell whether the cookie comes
// back with the redirect.
func TestBrowser(t *testing.T) {
	v := newTown(t, chromium.Start(t))
	v.tab.Press("Approve")
	v.tab.Shows("The app is installed")
	if v.kept() != v.box.InstalledTokens()[0] {
		t.Errorf("got %q kept, want the installed token", v.kept())
	}
}
