package dashboard_test

import (
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/pubsync/pubsync/connector/dashboard"
)

// ofEachPage holds each page to a test.
func ofEachPage(t *testing.T, test func(t *testing.T, page http.Handler)) {
	t.Helper()
	t.Run("an account", func(t *testing.T) { test(t, dashboard.Handler("https://marketplace.example")) })
	t.Run("accounts", func(t *testing.T) { test(t, dashboard.Accounts()) })
}

func get(t *testing.T, page http.Handler, method string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	page.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/", nil))
	return w
}

// parsed is the page as a browser takes it.
func parsed(t *testing.T, page http.Handler) *html.Node {
	t.Helper()
	root, err := html.Parse(get(t, page, http.MethodGet).Body)
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// textOf is the text of the only element of this name.
func textOf(t *testing.T, root *html.Node, name string) string {
	t.Helper()
	var texts []string
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name && n.FirstChild != nil {
			texts = append(texts, n.FirstChild.Data)
		}
	}
	if len(texts) != 1 {
		t.Fatalf("%d elements %s with a text, want one", len(texts), name)
	}
	return texts[0]
}

func TestHeaders(t *testing.T) { ofEachPage(t, testHeaders) }

func testHeaders(t *testing.T, page http.Handler) {
	w := get(t, page, http.MethodGet)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d, want %d", w.Code, http.StatusOK)
	}
	for name, want := range map[string]string{
		"Content-Type":           "text/html; charset=utf-8",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Cache-Control":          "no-store",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestMethods(t *testing.T) { ofEachPage(t, testMethods) }

func testMethods(t *testing.T, page http.Handler) {
	full := get(t, page, http.MethodGet)
	head := get(t, page, http.MethodHead)
	if head.Code != http.StatusOK || head.Body.Len() != 0 ||
		head.Header().Get("Content-Length") != full.Header().Get("Content-Length") {
		t.Errorf("HEAD: %d with %d bytes of body, length %s", head.Code, head.Body.Len(), head.Header().Get("Content-Length"))
	}
	post := get(t, page, http.MethodPost)
	if post.Code != http.StatusMethodNotAllowed || post.Header().Get("Allow") != "GET, HEAD" {
		t.Errorf("POST: %d, Allow %q", post.Code, post.Header().Get("Allow"))
	}
}

// The policy lets run what the page holds and nothing else: a hash that is not the element's would
// leave the page dead, anything unsafe-… would let in what a title brings along.
func TestContentSecurityPolicy(t *testing.T) { ofEachPage(t, testContentSecurityPolicy) }

func testContentSecurityPolicy(t *testing.T, page http.Handler) {
	root := parsed(t, page)
	policy := map[string]string{}
	for directive := range strings.SplitSeq(get(t, page, http.MethodGet).Header().Get("Content-Security-Policy"), ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), " ")
		policy[name] = value
	}
	sum := func(name string) string {
		s := sha256.Sum256([]byte(textOf(t, root, name)))
		return "'sha256-" + base64.StdEncoding.EncodeToString(s[:]) + "'"
	}
	for name, want := range map[string]string{
		"default-src":               "'none'",
		"script-src":                sum("script"),
		"style-src":                 sum("style"),
		"connect-src":               "'self'",
		"img-src":                   "data: https:",
		"base-uri":                  "'none'",
		"form-action":               "'none'",
		"frame-ancestors":           "'none'",
		"require-trusted-types-for": "'script'",
		"trusted-types":             "'none'",
	} {
		if policy[name] != want {
			t.Errorf("%s %s, want %s", name, policy[name], want)
		}
		delete(policy, name)
	}
	if len(policy) > 0 {
		t.Errorf("further directives: %v", policy)
	}
}

// Pictures without https are those of a marketplace on this machine, and of no other host.
func TestPicturesOfASandbox(t *testing.T) {
	for _, tt := range []struct{ marketplace, want string }{
		{"http://127.0.0.1:4000/sandbox", " http://127.0.0.1:4000;"},
		{"http://[::1]:4000", " http://[::1]:4000;"},
		{"http://localhost", " http://localhost;"},
		{"https://127.0.0.1:4000", ";"},
		{"http://192.168.1.1", ";"},
		{"http://localhost.example", ";"},
		{"", ";"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		dashboard.Handler(tt.marketplace).ServeHTTP(w, r)
		policy := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(policy, "img-src data: https:"+tt.want) {
			t.Errorf("%q: policy %s", tt.marketplace, policy)
		}
	}
}

// Nothing is loaded from elsewhere, and nothing stands in an attribute that the policy would refuse
// to run.
func TestNothingExternal(t *testing.T) { ofEachPage(t, testNothingExternal) }

func testNothingExternal(t *testing.T, page http.Handler) {
	root := parsed(t, page)
	own := []string{"data:,", "#list", "#", "#page=prices", "catalog/", "metrics", "../../"}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			switch {
			case slices.Contains([]string{"href", "src", "srcset", "action", "formaction", "data", "poster", "ping"}, a.Key) &&
				!slices.Contains(own, a.Val):
				t.Errorf("<%s %s=%q> leads elsewhere", n.Data, a.Key, a.Val)
			case strings.HasPrefix(a.Key, "on"), a.Key == "style":
				t.Errorf("<%s %s=%q> is refused by the policy", n.Data, a.Key, a.Val)
			}
		}
	}
	if found := regexp.MustCompile(`(?i)url\(|@import|@font-face`).FindString(textOf(t, root, "style")); found != "" {
		t.Errorf("the style holds %s", found)
	}
	// a name, not an address
	script := strings.ReplaceAll(textOf(t, root, "script"), "xmlns='http://www.w3.org/2000/svg'", "")
	script = strings.ReplaceAll(script, `createElementNS("http://www.w3.org/2000/svg"`, "")
	if found := regexp.MustCompile(`https?://|wss?://|["'\x60]//`).FindString(script); found != "" {
		t.Errorf("the script holds an address: %s", found)
	}
}

// The script has no way of turning a text into markup or code. The browser refuses them too, but
// only when such a line is reached.
func TestScriptMakesNoMarkup(t *testing.T) { ofEachPage(t, testScriptMakesNoMarkup) }

func testScriptMakesNoMarkup(t *testing.T, page http.Handler) {
	script := textOf(t, parsed(t, page), "script")
	for _, way := range []string{
		"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "DOMParser",
		"createContextualFragment", "setHTML", "srcdoc", "eval(", "Function(", "import(",
	} {
		if strings.Contains(script, way) {
			t.Errorf("the script holds %s", way)
		}
	}
}

// Every source is in the page: one that is forgotten in the list would be missed only where it is
// needed.
func TestEverySourceIsServed(t *testing.T) {
	pages := []string{
		get(t, dashboard.Handler(""), http.MethodGet).Body.String(),
		get(t, dashboard.Accounts(), http.MethodGet).Body.String(),
	}
	sources := os.DirFS("page")
	names, err := fs.Glob(sources, "*")
	if err != nil || len(names) < 10 {
		t.Fatalf("sources %v, %v", names, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(sources, name)
		if err != nil {
			t.Fatal(err)
		}
		most, all := 0, 0
		for _, page := range pages {
			n := strings.Count(page, string(text))
			most, all = max(most, n), all+n
		}
		if !strings.HasSuffix(name, ".html") && (all == 0 || most > 1) {
			t.Errorf("%s is in the pages %d times, in one of them %d times", name, all, most)
		}
	}
}

// Every control has a name of its own, which a screen reader can read.
func TestLabels(t *testing.T) { ofEachPage(t, testLabels) }

func testLabels(t *testing.T, page http.Handler) {
	root := parsed(t, page)
	attribute := func(n *html.Node, name string) string {
		for _, a := range n.Attr {
			if a.Key == name {
				return a.Val
			}
		}
		return ""
	}
	ids := map[string]int{}
	labelled := map[string]bool{}
	for n := range root.Descendants() {
		if id := attribute(n, "id"); id != "" {
			ids[id]++
		}
		if n.Data == "label" {
			labelled[attribute(n, "for")] = true
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for n := range root.Descendants() {
		if ref := attribute(n, "aria-labelledby"); ref != "" && ids[ref] == 0 {
			t.Errorf("<%s> is labelled by %s, which is not there", n.Data, ref)
		}
		if n.Data == "input" && !labelled[attribute(n, "id")] {
			t.Errorf("the input %s has no label", attribute(n, "id"))
		}
		if n.Type == html.ElementNode && n.Data == "html" && attribute(n, "lang") == "" {
			t.Error("the page's language is not said")
		}
	}
	script := textOf(t, root, "script")
	for _, m := range regexp.MustCompile(`byID\("([^"]+)"\)`).FindAllStringSubmatch(script, -1) {
		if ids[m[1]] == 0 {
			t.Errorf("the script looks for #%s, which the page does not have", m[1])
		}
	}
}
