package desk

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A slowStart answers like a worker whose account takes some time to start.
type slowStart struct {
	until  time.Time
	bodies []string
}

func (s *slowStart) RoundTrip(r *http.Request) (*http.Response, error) {
	var body strings.Builder
	if err := r.Write(&body); err != nil {
		return nil, err
	}
	s.bodies = append(s.bodies, body.String())
	w := httptest.NewRecorder()
	if time.Now().Before(s.until) {
		w.Header().Set(StartingHeader, "true")
		http.Error(w, "the account is starting", http.StatusServiceUnavailable)
	}
	res := w.Result()
	res.Request = r
	return res, nil
}

// A request for an account that starts is made again, whole, for some seconds.
func TestClientWaitsForAnAccountThatStarts(t *testing.T) {
	for takes, waits := range map[time.Duration]time.Duration{
		0: 0, 3 * time.Second: 3 * time.Second, time.Hour: startWait,
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			server := &slowStart{until: begun.Add(takes)}
			c := &Client{Base: "http://worker", HTTP: &http.Client{Transport: server}, Logger: slog.New(slog.DiscardHandler)}
			res, err := c.do(t.Context(), http.MethodPost, retryPath, Retry{All: true})
			if late := takes > startWait; late != (err != nil) || late && !strings.Contains(err.Error(), "is starting") {
				t.Errorf("takes %s: error %v, want one where it takes too long", takes, err)
			}
			if err == nil {
				expect(t, "closed", res.Body.Close(), nil)
			}
			expect(t, "waited", time.Since(begun).Round(time.Second), waits)
			for _, body := range server.bodies {
				expect(t, "the body of a later request", body, server.bodies[0])
			}
		})
	}
}
