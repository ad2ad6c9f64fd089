package fakeshop

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ahead is by how much the clock of the shop's settings is ahead of UTC.
const ahead = 2 * time.Hour

// dateLayout is how WordPress writes a date.
const dateLayout = "2006-01-02T15:04:05"

// touch records that it changes now.
func (p *Post) touch() { p.modified = time.Now().UTC().Truncate(time.Second) }

// dates are when it changed, by the clock of the shop's settings and in UTC.
func (p *Post) dates() (local, utc string) {
	if p.modified.IsZero() {
		return day, day
	}
	return p.modified.Add(ahead).Format(dateLayout), p.modified.Format(dateLayout)
}

// asked reports whether it is among those that a list is asked for by ids, by the ids of products,
// and by the moment behind which it changed. A date with a zone WordPress moves to its own.
func (p *Post) asked(query url.Values) bool {
	among := func(name string, id int64) bool {
		return query.Get(name) == "" ||
			slices.Contains(strings.Split(query.Get(name), ","), strconv.FormatInt(id, 10))
	}
	local, utc := p.dates()
	changed := local
	if query.Get("dates_are_gmt") == "true" {
		changed = utc
	}
	after := query.Get("modified_after")
	if at, err := time.Parse(time.RFC3339, after); err == nil {
		after = at.UTC().Add(ahead).Format(dateLayout)
	}
	return among("include", p.ID) && among("parent", p.Parent) && (after == "" || changed > after)
}
