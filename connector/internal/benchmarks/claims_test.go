package benchmarks

import (
	"fmt"
	"strings"
)

// A claim is a figure that is wanted of a benchmark: at most, or at least; none where neither is
// given.
type claim struct {
	what  string
	bench string
	cases string // what the names of the cases begin with that count; "": all
	unit  string
	most  float64
	least float64
}

// claims are the figures that the README, the documentation and the benchmarks' comments promise.
func claims() []claim {
	return []claim{
		{what: "an import costs hardly more than it must", bench: "BenchmarkImportPoints", unit: "x-floor", most: 1.1},
		{
			what:  "also where the marketplace counts differently",
			bench: "BenchmarkImportCost",
			unit:  "x-floor",
			most:  1.1,
		},
		{
			what:  "and where the run lists what its own reports move",
			bench: "BenchmarkShortImportCost",
			unit:  "x-floor",
			most:  1.1,
		},
		{
			what:  "a backlog's prices and stock cost hardly more than their figures",
			bench: "BenchmarkUpdateCost",
			unit:  "x-floor",
			most:  1.25,
		},
		{what: "the points are spent to the last one", bench: "BenchmarkBudgetUse", unit: "used", least: 0.98},
		{what: "without a rejection", bench: "BenchmarkBudgetUse", unit: "throttled"},
		{
			what:  "two workers and a foreign client share one bucket",
			bench: "BenchmarkTwoPacersAndAThird",
			unit:  "used",
			least: 0.96,
		},
		{what: "also without a rejection", bench: "BenchmarkTwoPacersAndAThird", unit: "refused"},
		{
			what:  "an import takes little of the processor",
			bench: "BenchmarkImportCPU",
			cases: "concurrency-16",
			unit:  "cpu-µs/publication",
			most:  1500,
		},
		{
			what:  "webhooks are made durable and acknowledged by the thousand a second",
			bench: "BenchmarkAcknowledge",
			unit:  "acks/s",
			least: 3000,
		},
		{what: "and none waits long", bench: "BenchmarkAcknowledge", unit: "p99-ms", most: 50},
		{what: "a change is on sale and reported at once", bench: "BenchmarkWebhookToStatus", unit: "p50-ms", most: 10},
		{
			what:  "100,000 known publications idle in little memory",
			bench: "BenchmarkKnown",
			cases: "100000",
			unit:  "resident-MiB",
			most:  128,
		},
		{
			what:  "and take none of the processor",
			bench: "BenchmarkKnown",
			cases: "100000",
			unit:  "idle-core-%",
			most:  0.1,
		},
		{
			what:  "a record of three variants is small on the disk",
			bench: "BenchmarkCodec",
			cases: "encode",
			unit:  "bytes",
			most:  2048,
		},
		{
			what: "1,000 accounts of 200 publications idle in little memory", bench: "BenchmarkIdleAccounts",
			unit: "resident-MiB", most: 512,
		},
		{what: "and ask the database for little", bench: "BenchmarkIdleAccounts", unit: "tx/s", most: 50},
		{what: "through few connections", bench: "BenchmarkIdleAccounts", unit: "connections", most: 17},
		{what: "a killed replica is replaced", bench: "BenchmarkFailover", unit: "killed-s", most: 15},
		{what: "and are open at once", bench: "BenchmarkKnown", cases: "100000", unit: "open-ms", most: 500},
	}
}

// row is what the table of claims says before the figure.
func (c claim) row() string {
	wanted := "at most " + number(c.most)
	switch {
	case c.most == 0 && c.least == 0:
		wanted = "none"
	case c.least > 0:
		wanted = "at least " + number(c.least)
	}
	unit := "`" + c.unit + "`"
	if c.cases != "" {
		unit += " of " + c.cases
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", c.what, c.bench, unit, wanted)
}

// worst is the figure of the case that is furthest from what is wanted.
func (c claim) worst(figures map[string]map[string]float64) (worst float64, ok bool) {
	for label, units := range figures {
		v, there := units[c.unit]
		if !there || !strings.HasPrefix(label, c.cases) {
			continue
		}
		if !ok || (v > worst) == (c.least == 0) {
			worst, ok = v, true
		}
	}
	return worst, ok
}
