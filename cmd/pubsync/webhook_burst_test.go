// Ten thousand webhooks while the shop is down.

package main_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

const (
	burstListed      = 400 // publications on the list that the webhooks name
	burstConnections = 96  // over which they come
	burstHooks       = 10_000
	burstUnknown     = 500 // publications named that are on no list
	// ackLimit is how long the marketplace waits for an acknowledgement.
	ackLimit = 5 * time.Second
	// burstMemory is the most that may ever be resident, in kibibytes: twice what the worker may
	// have that knows twenty thousand publications.
	burstMemory = 128 << 10
)

// TestTenThousandWebhooksWhileTheShopIsDown sends a burst to a worker whose shop answers nobody.
// Each is acknowledged in time, the worker stays small and goes on answering whoever watches it,
// and when the shop is back each publication is written once and reported once.
func TestTenThousandWebhooksWhileTheShopIsDown(t *testing.T) {
	long(t)
	s := open(t, sandbox.Options{})
	known := s.lamps(20)
	w := s.work()
	w.settles(len(known))
	var mu sync.Mutex
	down, done := true, map[string]int{}
	s.shop.rules(func(c shoptest.Call) shoptest.Reply {
		mu.Lock()
		defer mu.Unlock()
		if down {
			return shoptest.Reply{Cut: shoptest.Before}
		}
		done[string(c.ID)]++
		return shoptest.Reply{}
	})
	for _, id := range known {
		s.setPrice(id, "10.00", "21.00")
	}
	ids := known
	for i := range burstListed - len(known) {
		ids = append(ids, s.add(bulb(i)))
	}

	watched := w.watch()
	slowest := w.burst(ids)
	slowestAnswer := watched()
	t.Logf("slowest acknowledgement %s, slowest answer to a watcher %s, at most %d KiB resident", slowest, slowestAnswer,
		w.peak())
	if slowest > slack*ackLimit {
		t.Errorf("the slowest acknowledgement took %s", slowest)
	}
	if slowestAnswer > slack*ackLimit {
		t.Errorf("status, metrics, dashboard or health took %s to answer during the burst", slowestAnswer)
	}
	var st status
	w.get("/api/v1/status", &st)
	if st.Due < len(ids)/2 {
		t.Errorf("%d are due after the burst: the shop is not down, and nothing is shown", st.Due)
	}

	mu.Lock()
	down = false
	mu.Unlock()
	eventually(t, 2*time.Minute, "what the burst named is on sale and reported", func() bool {
		w.get("/api/v1/status", &st)
		return st.Publications["live"] == len(ids) && st.Due == 0 && st.Outbox == 0
	})
	s.workedOnce(ids, known, done)
	if peak := w.peak(); peak > burstMemory {
		t.Errorf("%d KiB were resident", peak)
	}
	w.stop()
}

// burst sends the webhooks over many connections, in any order, and returns how long the slowest
// took. Each publication is named by some of them, and some name what is on no list.
func (w *worker) burst(ids []string) (slowest time.Duration) {
	w.t.Helper()
	bodies := make([]string, burstHooks)
	for i := range bodies {
		switch {
		case i < burstUnknown:
			bodies[i] = created(fmt.Sprint("nobody-", i))
		default:
			bodies[i] = created(ids[i%len(ids)])
		}
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(bodies), func(i, j int) { bodies[i], bodies[j] = bodies[j], bodies[i] })
	transport := &http.Transport{MaxIdleConnsPerHost: burstConnections, MaxConnsPerHost: burstConnections}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: slack * ackLimit}
	var mu sync.Mutex
	var sending sync.WaitGroup
	for first := range burstConnections {
		sending.Go(func() {
			for i := first; i < len(bodies); i += burstConnections {
				took, err := acknowledged(client, w.hooks+"/webhooks", bodies[i])
				if err != nil {
					w.t.Error(err)
					return
				}
				mu.Lock()
				slowest = max(slowest, took)
				mu.Unlock()
			}
		})
	}
	sending.Wait()
	return slowest
}

// acknowledged sends one signed webhook and returns how long it took until it was acknowledged.
func acknowledged(client *http.Client, address, body string) (time.Duration, error) {
	req, err := http.NewRequest(http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	req.Header.Set("X-Service-Signature", signature(body))
	req.Header.Set("X-Service-Event", "PUBLICATION_CREATED")
	start := time.Now()
	res, err := client.Do(req)
	if err != nil {
		return 0, err
	}
	defer res.Body.Close() //nolint:errcheck // read to its end
	_, err = io.Copy(io.Discard, res.Body)
	if err == nil && res.StatusCode != http.StatusNoContent {
		err = fmt.Errorf("webhook answered with %s", res.Status)
	}
	return time.Since(start), err
}

// watch asks the admin listener for everything that a person or a monitor asks for, again and again
// until the function it returns is called. That returns how long the slowest answer took.
func (w *worker) watch() (stop func() time.Duration) {
	end, slowest := make(chan struct{}), make(chan time.Duration)
	go func() {
		most := time.Duration(0)
		defer func() { slowest <- most }()
		for {
			for _, path := range []string{"/readyz", "/", "/metrics", "/api/v1/status", "/api/v1/publications"} {
				start := time.Now()
				res, err := http.Get(w.admin + path)
				if err != nil {
					w.t.Error(err)
					return
				}
				if _, err := io.Copy(io.Discard, res.Body); err != nil || res.StatusCode != http.StatusOK {
					w.t.Errorf("GET %s: %s, %v", path, res.Status, err)
				}
				_ = res.Body.Close() //nolint:errcheck // read to its end
				most = max(most, time.Since(start))
			}
			select {
			case <-end:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() time.Duration {
		close(end)
		return <-slowest
	}
}

// workedOnce checks that each publication was written and reported once, and read once for each
// time that the shop was asked. One that was known is read once more where its figures were read
// first.
func (s *site) workedOnce(ids, known []string, done map[string]int) {
	s.t.Helper()
	asked, reports := map[string]int{}, map[string]int{}
	for _, c := range s.shop.requests(shoptest.Publish) {
		asked[string(c.ID)]++
	}
	for _, r := range s.market.Reports() {
		reports[r.ID]++
	}
	reads := s.contentReads()
	for _, id := range ids {
		rest := reads[id] - asked[id] // of a change whose figures were read first
		if done[id] != 1 || reports[id] != 1 || rest != 0 && (rest != 1 || !slices.Contains(known, id)) {
			s.t.Errorf("%s was written %d times and reported %d times, read %d times and sent %d times", id, done[id],
				reports[id], reads[id], asked[id])
		}
	}
}

// peak is the most that was ever resident of the worker, in kibibytes; 0 where that is not known.
func (w *worker) peak() int {
	w.t.Helper()
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	_, after, _ := bytes.Cut(data, []byte("VmHWM:"))
	n, err := strconv.Atoi(string(bytes.Fields(after)[0]))
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// bulb is the smallest listing that can be sold.
func bulb(n int) *sandbox.Listing {
	return &sandbox.Listing{
		Texts:    map[string]sandbox.Text{"en": {Title: fmt.Sprintf("Bulb %d", n)}},
		Variants: []sandbox.Variant{{Cost: "1.00", MSRP: "2.00", SKU: fmt.Sprintf("B%d", n), Quantity: 5}},
	}
}
