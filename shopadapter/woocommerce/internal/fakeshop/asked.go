package fakeshop

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// asked reports whether it is among those that a list is asked for by ids, and by the ids of
// products.
func (p *Post) asked(query url.Values) bool {
	among := func(name string, id int64) bool {
		return query.Get(name) == "" ||
			slices.Contains(strings.Split(query.Get(name), ","), strconv.FormatInt(id, 10))
	}
	return among("include", p.ID) && among("parent", p.Parent)
}
