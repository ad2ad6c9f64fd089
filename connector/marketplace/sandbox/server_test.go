package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

// overHTTP posts a query over a socket and returns the answer's body.
func overHTTP(t *testing.T, c *http.Client, url, query string) (int, string, error) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, url+"/v1/graphql", strings.NewReader(string(body)),
	)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+DefaultToken)
	resp, err := c.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func TestServer(t *testing.T) {
	defer goleak.VerifyNone(t)
	told := make(chan string, 10)
	hooks := httptest.NewServer(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { told <- r.Header.Get("X-Service-Event") }),
	)
	defer hooks.Close()
	s := Start(Options{ChannelWebhookURL: hooks.URL})
	defer s.Close()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()

	ids := s.AddSound(1)
	status, body, err := overHTTP(
		t, client, s.URL,
		`{ publications(first: 1) { nodes { id listing { images(first: 1) { nodes { originalUrl } } } } } }`,
	)
	switch {
	case err != nil:
		t.Fatalf("answered %d %s %v; err: got %v, want nil", status, body, err, err)
	case status != 200:
		t.Fatalf("answered %d %s %v; status: got %v, want %v", status, body, err, status, 200)
	case !strings.Contains(body, ids[0]):
		t.Fatalf("answered %d %s %v; strings.Contains(body, ids[0]): got false, want true", status, body, err)
	case !strings.Contains(body, `"originalUrl":"`+s.URL+`/images/`):
		t.Fatalf(
			"answered %d %s %v; strings.Contains(body, `\"originalUrl\":\"`+s.URL+`/images/`): got false, want true",
			status, body, err,
		)
	}
	must(t, s.SetStock(ids[0], "", 3))
	select {
	case event := <-told:
		if event != "PRODUCT_UPDATED" {
			t.Errorf("told of %s, want %q", event, "PRODUCT_UPDATED")
		}
	case <-time.After(10 * time.Second):
		t.Fatal("got no webhook within 10s, want one")
	}
	s.Inject(Fault{Kind: Cut, Next: 1}, Fault{Kind: CutBody, Next: 1})
	for range 2 {
		if status, body, err := overHTTP(t, client, s.URL, `{ account { slug } }`); err == nil {
			t.Errorf("a connection that is cut: got %d %s, want an error", status, body)
		}
	}
	s.Inject(Fault{Kind: Slow, Delay: time.Hour, Next: 1})
	ended := make(chan error, 1)
	go func() {
		_, _, err := overHTTP(t, client, s.URL, `{ account { slug } }`)
		ended <- err
	}()
	pending := func() bool {
		s.faults.mu.Lock()
		defer s.faults.mu.Unlock()
		return len(s.faults.armed) > 0
	}
	for pending() {
		time.Sleep(time.Millisecond) // on sockets there is no other way to know that the request has met the fault
	}
	s.Close()
	if err := <-ended; err == nil {
		t.Error("a request that waited when the server closed: got an answer, want an error")
	}
	if _, _, err := overHTTP(t, client, s.URL, `{ account { slug } }`); err == nil {
		t.Error("a closed server: got an answer, want an error")
	}
}

func TestServeWithAnAddressOfItsOwn(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + listener.Addr().String() + "/market"
	s := Serve(New(Options{BaseURL: base}), listener)
	defer s.Close()
	if s.URL != base {
		t.Errorf("the address is %s, want %s", s.URL, base)
	}
	switch status, body, err := overHTTP(t, http.DefaultClient, s.URL, `{ account { slug } }`); {
	case err != nil:
		t.Errorf("answered %d %s %v; err: got %v, want nil", status, body, err, err)
	case status != 200:
		t.Errorf("answered %d %s %v; status: got %v, want %v", status, body, err, status, 200)
	}
	switch status, _, err := overHTTP(
		t, http.DefaultClient, "http://"+listener.Addr().String(), `{ account { slug } }`,
	); {
	case err != nil:
		t.Errorf("beside its path it answered %d %v; err: got %v, want nil", status, err, err)
	case status != 404:
		t.Errorf("beside its path it answered %d %v; status: got %v, want %v", status, err, status, 404)
	}
}

func TestServeAtEveryAddress(t *testing.T) {
	listener, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	s := Serve(New(Options{}), listener)
	defer s.Close()
	if !strings.HasPrefix(s.URL, "http://127.0.0.1:") {
		t.Errorf("got the address %s, want a loopback port", s.URL)
	}
}

// A RoundTripper leaves the request as it is, and a handler that panics for another reason than to
// hang up panics in the caller.
func TestTransportLeavesTheRequestAlone(t *testing.T) {
	rt := Transport(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set("X-Changed", "yes")
		r.URL.Path = "/changed"
		w.Header().Set("X-Sent", "yes")
		_, _ = io.WriteString(w, r.Host+" "+r.RequestURI)
		w.Header().Set("X-Late", "yes")
	}))
	req := request(t, "")
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	switch {
	case err != nil:
		t.Errorf("answered %q %v; err: got %v, want nil", body, err, err)
	case string(body) != "marketplace.example /v1/graphql":
		t.Errorf("answered %q %v; string(body): got %q, want %q", body, err, string(body), "marketplace.example /v1/graphql")
	case resp.ContentLength != int64(len(body)):
		t.Errorf("answered %q %v; resp.ContentLength: got %v, want %v", body, err, resp.ContentLength, int64(len(body)))
	}
	switch {
	case req.Header.Get("X-Changed") != "":
		t.Errorf(
			"the request became %+v; req.Header.Get(\"X-Changed\"): got %q, want %q", req, req.Header.Get("X-Changed"), "",
		)
	case req.URL.Path != "/v1/graphql":
		t.Errorf("the request became %+v; req.URL.Path: got %q, want %q", req, req.URL.Path, "/v1/graphql")
	}
	switch {
	case resp.Header.Get("X-Sent") == "":
		t.Errorf(
			"the answer is %s %v; resp.Header.Get(\"X-Sent\"): got %q, want another", resp.Status, resp.Header,
			resp.Header.Get("X-Sent"),
		)
	case resp.Header.Get("X-Late") != "":
		t.Errorf(
			"the answer is %s %v; resp.Header.Get(\"X-Late\"): got %q, want %q", resp.Status, resp.Header,
			resp.Header.Get("X-Late"), "",
		)
	case resp.Status != "200 OK":
		t.Errorf("the answer is %s %v; resp.Status: got %q, want %q", resp.Status, resp.Header, resp.Status, "200 OK")
	}
	defer func() {
		switch p := recover(); {
		case p == nil:
			t.Errorf("recovered %v; p: got nil, want a value", p)
		case fmt.Sprint(p) != "oops":
			t.Errorf("recovered %v; fmt.Sprint(p): got %q, want %q", p, fmt.Sprint(p), "oops")
		}
	}()
	_, err = Transport(
		http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(errors.New("oops")) }),
	).RoundTrip(request(t, ""))
	t.Errorf("a handler that panics: got %v, want the panic", err)
}

// Readers, reporters, suppliers and an unlucky network at the same time: no race, nothing lost, and
// the order by updatedAt stays whole.
func TestConcurrently(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &inbox{}
		m := newTest(t, Options{Limit: 1 << 30, WebhookTransport: in})
		subscribe(t, m, "http://a.example")
		ids := m.AddSound(40)
		m.OnContentRead(func(id string) { _, _ = m.Publication(id) })
		m.Inject(Fault{Kind: ServerError, Probability: 0.05}, Fault{Kind: Cut, Probability: 0.05, Executed: true})
		var wg sync.WaitGroup
		each := func(n int, f func(i int)) {
			wg.Go(func() {
				for i := range n {
					f(i)
				}
			})
		}
		for range 2 {
			each(100, func(int) {
				post(
					t,
					m,
					`{ publications(first: 10, sort: UPDATED_AT_ASC) { nodes { id listing { variants(first: 5) { nodes { `+
						`inventoryQuantity } } } } } }`,
					nil,
				)
			})
			each(100, func(i int) {
				post(
					t,
					m,
					reportStatus,
					map[string]any{
						"input": map[string]any{
							"id":         ids[i%40],
							"status":     "success",
							"productUrl": "https://shop.example/x",
						},
					},
				)
			})
			each(100, func(i int) {
				if err := m.SetStock(ids[i%40], "", i); err != nil {
					t.Error(err)
				}
			})
		}
		each(50, func(i int) { m.Remove(ids[i%10]); m.Restore(ids[i%10]) })
		each(50, func(int) {
			post(t, m, `{ productVariants(first: 20) { nodes { id } } webhooks(first: 5) { nodes { id } } }`, nil)
		})
		each(50, func(int) { m.AddCatalogue(1) })
		each(50, func(int) {
			m.Requests()
			m.Reports()
			m.Totals()
			m.Deliveries()
			m.Webhooks()
			m.Remaining()
		})
		wg.Wait()
		m.Heal()
		if got := len(listAll(t, m, "UPDATED_AT_ASC", 7)); got != 90 {
			t.Errorf("%d on the list, want 90", got)
		}
		if got := len(listAll(t, m, "ID_DESC", 7)); got != 90 {
			t.Errorf("%d on the list by id, want 90", got)
		}
		synctest.Wait()
		if got := len(in.all()); got != 40+50+50 {
			t.Errorf("%d announced, want those added, added meanwhile and restored", got)
		}
	})
}
