package dashboard

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/desk"
)

// try has the rules in the address tried, and writes the lines that the env file would need.
func (p *page) try(ctx context.Context, d desk.Desk) error {
	set := map[string]string{}
	for name := range p.address {
		if strings.HasPrefix(name, "PUBSYNC_") {
			set[name] = strings.TrimSpace(p.address.Get(name))
		}
	}
	t, err := d.Try(ctx, set)
	if err != nil {
		return err
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value := set[name]
		if value == t.Values[name] {
			continue
		}
		t.Values[name] = value
		if strings.ContainsAny(value, " \t#'\"$") {
			value = "'" + value + "'"
		}
		lines = append(lines, name+"="+value)
	}
	p.Trial, p.Lines = &t, strings.Join(lines, "\n")
	return nil
}
