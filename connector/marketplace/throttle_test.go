package marketplace

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// absurd are throttle blocks that one wrong answer may carry.
var absurd = map[string]string{
	"a deep debt": `{"requestedCost":10,"actualCost":10,"limit":1000,"remaining":-1e9,` +
		`"restoreRate":50}`,
	"an empty bucket that hardly fills": `{"requestedCost":10,"actualCost":10,"limit":1000,"remaining":0,` +
		`"restoreRate":1e-6}`,
	"a cost beyond reason": `{"requestedCost":1e9,"actualCost":10,"limit":1000,"remaining":900,` +
		`"restoreRate":50}`,
	"a charge beyond reason": `{"requestedCost":10,"actualCost":1e9,"limit":1000,"remaining":900,` +
		`"restoreRate":50}`,
	"a charge beyond reason, and no more": `{"actualCost":1e300}`,
	"a bucket that holds nothing": `{"requestedCost":10,"actualCost":10,"limit":0.5,"remaining":0.5,` +
		`"restoreRate":50}`,
	"a bucket without end": `{"requestedCost":1e12,"actualCost":1e12,"limit":1e12,"remaining":1e12,"restoreRate":1e12}`,
	"all at once":          `{"requestedCost":1e9,"actualCost":1e9,"limit":0.5,"remaining":-1e9,"restoreRate":1e-6}`,
	"words": `{"requestedCost":"NaN","actualCost":"NaN","limit":"Infinity","remaining":"NaN",` +
		`"restoreRate":"many"}`,
	"negative numbers": `{"requestedCost":-1,"actualCost":-1,"limit":-1,"remaining":-1,"restoreRate":-1}`,
}

// bodies are the answers that may carry them.
var bodies = map[string]string{
	"in an answer": `{"data":{"publications":{"nodes":[],"pageInfo":{"hasNextPage":false}}},` +
		`"extensions":{"throttle":THROTTLE}}`,
	"in a refusal":    `{"errors":[{"message":"Throttled"}],"extensions":{"throttle":THROTTLE}}`,
	"in an objection": `{"errors":[{"message":"Unknown argument \"first\""}],"extensions":{"throttle":THROTTLE}}`,
}

// TestOneAbsurdThrottleBlock is followed by a reading and a report that wait for no more than a
// bucket takes to fill.
func TestOneAbsurdThrottleBlock(t *testing.T) {
	for name, throttle := range absurd {
		for where, body := range bodies {
			t.Run(name+" "+where, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w := &fakeWire{answer: func(n int, s sent) (int, string) {
						switch {
						case n == 1:
							return 200, strings.Replace(body, "THROTTLE", throttle, 1)
						case s.OperationName == "Report":
							return 200, data(
								`{"publicationStatusUpdated":{"publication":{"status":"success","updatedAt":"u"},"userErrors":[]}}`,
							)
						case s.OperationName == "Look":
							return 200, data(`{"publication":{"updatedAt":"u"}}`)
						case s.OperationName == "Content":
							return 200, data(`{"publication":{"updatedAt":"u","listing":{` + noPages + `}}}`)
						default:
							return 200, data(`{"publications":{"nodes":[],"pageInfo":{"hasNextPage":false}}}`)
						}
					}}
					c := known(t, w)
					_, _ = c.List(t.Context(), Sweep, IDDesc, "") // what it comes to is not the matter here
					for what, call := range map[string]func() error{
						"list": func() error {
							_, err := c.List(t.Context(), Sweep, IDDesc, "")
							return err
						},
						"read": func() error {
							_, err := read1(t, c, 0)
							return err
						},
						"report": func() error {
							_, made, err := c.Report(t.Context(), Urgent, Report{ID: "1", Status: "success"}, false)
							if err == nil {
								err = made.Err
							}
							return err
						},
					} {
						start := time.Now()
						if err := call(); err != nil {
							t.Errorf("%s: %v", what, err)
						}
						if took := time.Since(start); took > time.Minute {
							t.Errorf("%s: waited %v; took: got %v, want at most %v", what, took, took, time.Minute)
						}
					}
					if cost := c.Stats().Cost; cost > 2000 {
						t.Errorf("%g points are counted for four requests; cost: got %v, want at most %v", cost, cost, 2000)
					}
				})
			})
		}
	}
}

// TestAbsurdThrottleBlocksOnly has a server that says nothing else: what it answers is used, a
// request each minute at least.
func TestAbsurdThrottleBlocksOnly(t *testing.T) {
	for name, throttle := range absurd {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, always(200, strings.Replace(bodies["in an answer"], "THROTTLE", throttle, 1)))
				for range 10 {
					start := time.Now()
					if _, err := c.List(t.Context(), Sweep, IDDesc, ""); err != nil {
						t.Fatal(err)
					}
					if took := time.Since(start); took > 61*time.Second {
						t.Fatalf("waited %v; took: got %v, want at most %v", took, took, 61*time.Second)
					}
				}
			})
		})
	}
}
