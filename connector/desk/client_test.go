package desk

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A slowStart answers like a worker whose account takes some time to start, then as the handler of
// an office does.
type slowStart struct {
	until  time.Time
	ready  http.Handler
	bodies []string
}

func (s *slowStart) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	s.bodies = append(s.bodies, string(body))
	if time.Now().Before(s.until) {
		w.Header().Set(StartingHeader, "true")
		http.Error(w, "the account is starting", http.StatusServiceUnavailable)
	} else {
		s.ready.ServeHTTP(w, r)
	}
	res := w.Result()
	res.Request = r
	return res, nil
}

// A request for an account that starts is made again, whole, for some seconds.
func TestClientWaitsForAnAccountThatStarts(t *testing.T) {
	for name, test := range map[string]struct {
		takes, waits time.Duration
		fails        string
	}{
		"started": {0, 0, ""}, "soon": {3 * time.Second, 3 * time.Second, ""},
		"later": {time.Hour, startWait, "the account is starting"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				begun := time.Now()
				server := &slowStart{
					until: begun.Add(test.takes),
					ready: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }),
				}
				c := &Client{
					Base: "http://worker", HTTP: &http.Client{Transport: server}, Logger: slog.New(slog.DiscardHandler),
				}
				_, err := c.Sweep(t.Context(), true)
				if got := errorText(err); !strings.Contains(got, test.fails) || got != "" && test.fails == "" {
					t.Errorf("error %q, want %q", got, test.fails)
				}
				if got := time.Since(begun).Round(time.Second); got != test.waits {
					t.Errorf("waited %s, want %s", got, test.waits)
				}
				for _, body := range server.bodies {
					if body != server.bodies[0] || body == "" {
						t.Errorf("a later request has the body %q, want %q", body, server.bodies[0])
					}
				}
			})
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
