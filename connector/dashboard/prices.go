package dashboard

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/desk"
)

// prices is the page on which rules of prices are tried on the list as it is. Nothing is written.
type prices struct {
	desk.Trial
	Values map[string]string // of the settings, as they would be
	Tiers  [][]string        // range and percentage of each tier
	Set    map[string]string // the settings that differ from those that count; "" stands for the default
	Lines  []string          // what the env file would have to say
	Fault  string            // why these rules cannot be used
}

var tier = regexp.MustCompile(`^\s*([\d.]*\s*-\s*[\d.]*)\s*:\s*(-?[\d.]+)\s*%\s*$`)

// tryPrices tries the settings of the view's form.
func (p *page) tryPrices(ctx context.Context, d *desk.Client) error {
	is, err := d.Figures(ctx)
	if err != nil {
		return err
	}
	t := &prices{Values: maps.Collect(maps.All(is)), Set: map[string]string{}}
	for name, values := range p.form {
		if value := strings.TrimSpace(values[0]); strings.HasPrefix(name, "PUBSYNC_") && value != is[name] {
			t.Set[name], t.Values[name] = value, value
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Set)) {
		line := name + "=" + t.Set[name]
		if t.Set[name] == "" {
			line = "# " + name + " goes: its default counts"
		} else if strings.ContainsAny(line, " \t#'\"$") {
			line = name + "='" + t.Set[name] + "'"
		}
		t.Lines = append(t.Lines, line)
	}
	for part := range strings.SplitSeq(t.Values["PUBSYNC_PRICE_TIERS"], ",") {
		if found := tier.FindStringSubmatch(part); found != nil {
			t.Tiers = append(t.Tiers, found[1:])
		}
	}
	if t.Trial, err = d.Try(ctx, t.Set); err != nil {
		t.Fault = err.Error()
	}
	p.Prices = t
	return nil
}

// Fullest is the most prices that one range of margins has.
func (p *prices) Fullest() int {
	most := 1
	for _, b := range p.Margins {
		most = max(most, b.Before, b.After)
	}
	return most
}
