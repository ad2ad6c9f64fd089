package engine

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// deployed is the folder of the monitoring pack.
const deployed = "../../cmd/deploy"

// watched is the metrics of an engine, which are described and not read.
func watched() *Metrics {
	x := New(Options{Concurrency: 1})
	x.Watch(func() bool { return false }, func() int { return 0 })
	return x.Metrics
}

// exposed returns the names of all metrics, those of histograms with what they are asked by.
func exposed(t *testing.T) map[string]bool {
	t.Helper()
	m := watched()
	descs := make(chan *prometheus.Desc, 1000)
	m.registry.Describe(descs)
	process().Describe(descs)
	close(descs)
	names := map[string]bool{}
	name := regexp.MustCompile(`fqName: "([^"]+)"`)
	for d := range descs {
		found := name.FindStringSubmatch(d.String())
		if found == nil {
			t.Fatalf("a description without a name: %s", d)
		}
		names[found[1]] = true
		if strings.HasSuffix(found[1], "_seconds") {
			names[found[1]+"_bucket"] = true
		}
	}
	return names
}

// All that pubsync measures of its work begins with its name. What is measured of every Go program keeps
// the names that boards and alerts for Go programs ask for.
func TestNamesBeginWithPubsync(t *testing.T) {
	process := regexp.MustCompile(`^(go|process)_`)
	others := 0
	for name := range exposed(t) {
		switch {
		case strings.HasPrefix(name, "pubsync_"):
		case process.MatchString(name):
			others++
		default:
			t.Errorf("%s begins with neither pubsync_, nor go_ or process_", name)
		}
	}
	if others == 0 {
		t.Error("no metric of the process is exposed under its usual name")
	}
	m := watched()
	families := make(chan *prometheus.Desc, 1000)
	m.registry.Describe(families)
	close(families)
	for d := range families {
		if text := d.String(); !strings.Contains(text, `fqName: "pubsync_`) {
			t.Errorf("pubsync's own metric is called %s, want a name with pubsync_", text)
		}
	}
}

var asked = regexp.MustCompile(`\b(?:pubsync|go|process)_[a-z_]+\b`)

// The board and the alerts ask for metrics that exist, else they would be empty in silence.
func TestTheMonitoringPackNamesMetricsThatExist(t *testing.T) {
	names := exposed(t)
	rules, err := os.ReadFile(filepath.Join(deployed, "prometheus", "rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var exprs []string
	for _, m := range regexp.MustCompile(`(?m)^ +expr: (.+)$`).FindAllStringSubmatch(string(rules), -1) {
		exprs = append(exprs, m[1])
	}
	if n := strings.Count(string(rules), "- alert:"); n < 5 || n != len(exprs) {
		t.Fatalf("got %d expressions of %d alerts, want one of each", len(exprs), n)
	}
	for _, expr := range append(exprs, board(t)...) {
		found := asked.FindAllString(expr, -1)
		if len(found) == 0 && !strings.HasPrefix(expr, "up{") {
			t.Errorf("%s asks for no metric of pubsync's", expr)
		}
		for _, name := range found {
			if !names[name] {
				t.Errorf("%s: there is no metric %s, only %v", expr, name, slices.Sorted(maps.Keys(names)))
			}
		}
	}
}

// board returns the expressions of the Grafana board.
func board(t *testing.T) (exprs []string) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deployed, "grafana", "pubsync.json"))
	if err != nil {
		t.Fatal(err)
	}
	var b struct {
		Panels []struct {
			ID      int
			Title   string
			GridPos struct{ X, Y, W, H int }
			Targets []struct{ Expr string }
		}
		Templating struct {
			List []struct{ Name, Query string }
		}
	}
	if err := json.Unmarshal(data, &b); err != nil {
		t.Fatal(err)
	}
	ids := map[int]bool{}
	for _, p := range b.Panels {
		if p.Title == "" || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 || ids[p.ID] {
			t.Errorf("panel %d %q: got %+v, want a title, something to show, a place of its own", p.ID, p.Title, p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			exprs = append(exprs, target.Expr)
		}
	}
	for _, v := range b.Templating.List {
		if strings.HasPrefix(v.Query, "label_values(") {
			exprs = append(exprs, v.Query)
		}
	}
	if len(exprs) < 20 {
		t.Errorf("the board has %d expressions", len(exprs))
	}
	return exprs
}
