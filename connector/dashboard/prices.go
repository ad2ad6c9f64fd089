package dashboard

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/connector/desk"
)

// prices is the page on which rules of prices are tried.
type prices struct {
	desk.Trial        // with the values of the form
	Lines      string // for the env file
}

func tried(ctx context.Context, d desk.Desk, form url.Values) (*prices, error) {
	set := map[string]string{}
	for name := range form {
		if strings.HasPrefix(name, "PUBSYNC_") {
			set[name] = strings.TrimSpace(form.Get(name))
		}
	}
	t, err := d.Try(ctx, set)
	if err != nil {
		return nil, err
	}
	p := &prices{Trial: t}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(set)) {
		value := set[name]
		switch {
		case value == t.Values[name]:
			continue
		case value == "":
			lines = append(lines, "# "+name+" goes: its default counts")
		case strings.ContainsAny(value, " \t#'\"$"):
			lines = append(lines, name+"='"+value+"'")
		default:
			lines = append(lines, name+"="+value)
		}
		p.Values[name] = value
	}
	p.Lines = strings.Join(lines, "\n")
	return p, nil
}

// Fullest is the most prices in one range of margins.
func (p *prices) Fullest() int {
	most := 1
	for _, b := range p.Margins {
		most = max(most, b.Before, b.After)
	}
	return most
}
