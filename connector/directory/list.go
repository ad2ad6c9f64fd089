package directory

import (
	"context"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// metaList is the fact of the store that keeps a List.
const metaList = "directory"

// A List is what was last read of the directory.
type List struct {
	Account  marketplace.Holder         `json:"account"`
	Channels []marketplace.Channel      `json:"channels,omitempty"`
	Nodes    []marketplace.CategoryNode `json:"categories,omitempty"`
	Refused  map[string]string          `json:"refused,omitempty"` // by part, why it was not read the last time

	At       time.Time `json:"at,omitzero"`        // when some part was read last
	Tried    time.Time `json:"tried,omitzero"`     // when all were asked for last
	Sought   time.Time `json:"sought,omitzero"`    // when the tree was read last for a category that it lacks
	Language string    `json:"language,omitempty"` // of the categories' names
	Install  string    `json:"install,omitempty"`  // Options.Install at the last reading

	byPath map[string]int
	top    int // the depth of the categories that have none above them
}

// ListOf is what a store holds of the list.
func ListOf(ctx context.Context, s store.FactReader) (l List, err error) {
	_, err = store.MetaJSON(ctx, s, metaList, &l)
	return l, err
}

// index readies the tree for Branch.
func (l *List) index() {
	l.byPath, l.top = make(map[string]int, len(l.Nodes)), math.MaxInt
	for i, n := range l.Nodes {
		l.byPath[n.Path], l.top = i, min(l.top, n.Depth)
	}
}

func (l *List) lacks(path string) bool {
	_, ok := l.byPath[path]
	return path != "" && !ok
}

// mostLevels bounds a branch. The specification shows three levels.
const mostLevels = 10

// branch is the categories from the root to the one with a path. It is nil where the tree lacks one
// of them or its name, and where the depth of the first says that others are above it.
func (l *List) branch(path string) (branch []marketplace.CategoryNode) {
	for range mostLevels {
		i, ok := l.byPath[path]
		if !ok || l.Nodes[i].Name == "" {
			return nil
		}
		branch = append(branch, l.Nodes[i])
		if path = l.Nodes[i].Parent; path != "" {
			continue
		}
		if l.Nodes[i].Depth > l.top {
			return nil
		}
		slices.Reverse(branch)
		return branch
	}
	return nil // it has no root
}

// Elsewhere warns where the channels name other shops than the one whose product page is at an
// address; "" where one of them is that shop, or where nothing can be compared.
func (l List) Elsewhere(page string) string {
	shop := hostOf(page)
	if shop == "" {
		return ""
	}
	var other []string
	for _, c := range l.Channels {
		host := hostOf(c.URL)
		switch {
		case host == "":
			continue
		case host == shop, strings.HasSuffix(host, "."+shop), strings.HasSuffix(shop, "."+host):
			return ""
		}
		other = append(other, host)
	}
	if len(other) == 0 {
		return ""
	}
	return "the marketplace thinks that it feeds " + strings.Join(other, ", ") +
		", and the product pages that are reported lie at " + shop +
		": correct the store's address in the marketplace account, or use the token of the account that feeds this shop"
}

// hostOf is the host of an address, which may lack its scheme; "" where it has none.
func hostOf(address string) string {
	if address = strings.TrimSpace(address); !strings.Contains(address, "://") {
		address = "https://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ToLower(u.Hostname()), "www."), ".")
}
