package publication

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// A CategoryPath names a branch of the marketplace's categories as a merchant writes it: a path
// such as FASHION_SHOES, or FASHION/SHOES by its levels. Each level is a path, or what the path has
// beyond the one above it.
type CategoryPath string

// mostCategoryText bounds a category as a merchant writes it.
const mostCategoryText = 500

var errCategory = errors.New("has a category that is no path such as GARDEN or FASHION/SHOES")

// ParseCategory reads the path of a branch.
func ParseCategory(s string) (CategoryPath, error) {
	var levels []string
	for level := range strings.SplitSeq(s, "/") {
		levels = append(levels, categoryWord(level))
	}
	path := strings.Join(levels, "/")
	if len(path) > mostCategoryText || slices.Contains(levels, "") ||
		strings.Trim(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/") != "" {
		return "", errCategory
	}
	return CategoryPath(path), nil
}

// ParseCategories reads a list of branches such as FASHION/SHOES,GARDEN.
func ParseCategories(s string) (list []CategoryPath, err error) {
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == ';' }) {
		if strings.TrimSpace(part) == "" {
			continue
		}
		path, err := ParseCategory(part)
		if err != nil {
			return nil, err
		}
		if i := slices.Index(list, path); i >= 0 {
			return nil, fmt.Errorf("has the category of place %d again in place %d: take one away", i+1, len(list)+1)
		}
		list = append(list, path)
	}
	if len(list) == 0 || len(list) > mostCategories {
		return nil, errors.New("is not a list of categories such as FASHION/SHOES,GARDEN")
	}
	return list, nil
}

// categoryWord is a text as the marketplace writes the path of a category.
func categoryWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return '_'
		}
		return r
	}, strings.ToUpper(strings.TrimSpace(s)))
}

// Depth is how deep in a branch the path's last level stands, from 1 on; 0 where the branch is
// another. branch has the paths of its categories from the root.
func (p CategoryPath) Depth(branch []string) int {
	levels := strings.Split(string(p), "/")
	for end := len(branch); end >= len(levels); end-- {
		if isBranch(levels, branch[:end]) {
			return end
		}
	}
	return 0
}

// isBranch reports whether a branch ends in these levels.
func isBranch(levels, branch []string) bool {
	from := len(branch) - len(levels)
	for i, level := range levels {
		path := categoryWord(branch[from+i])
		if path == level {
			continue
		}
		if i == 0 {
			return false
		}
		if path != categoryWord(branch[from+i-1])+"_"+level {
			return false
		}
	}
	return true
}

// A CategoryMarkup is the markup of one branch of categories.
type CategoryMarkup struct {
	Path   CategoryPath    `json:"path"`
	Markup decimal.Decimal `json:"markup"`
	Added  bool            `json:"added,omitempty"` // to the markup otherwise; else in its place
}

const mostCategories = 1000

// ParseCategoryMarkups reads markups such as GARDEN=+10%; FASHION/SHOES=80%.
func ParseCategoryMarkups(s string) (list []CategoryMarkup, err error) {
	for part := range strings.SplitSeq(s, ";") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		path, percent, found := strings.Cut(part, "=")
		if !found {
			return nil, errors.New("is not a list of categories and markups such as GARDEN=+10%; FASHION/SHOES=80%")
		}
		var c CategoryMarkup
		if c.Path, err = ParseCategory(path); err != nil {
			return nil, err
		}
		percent = strings.TrimSpace(percent)
		c.Added = strings.HasPrefix(percent, "+") || strings.HasPrefix(percent, "-")
		if c.Markup, err = parsePercent(strings.TrimPrefix(percent, "+")); err != nil {
			return nil, err
		}
		if i := slices.IndexFunc(list, func(o CategoryMarkup) bool { return o.Path == c.Path }); i >= 0 {
			return nil, fmt.Errorf("has the category of rule %d again in rule %d, of which only one can apply: "+
				"take one away", i+1, len(list)+1)
		}
		list = append(list, c)
	}
	if len(list) == 0 || len(list) > mostCategories {
		return nil, errors.New("is not a list of categories and markups such as GARDEN=+10%; FASHION/SHOES=80%")
	}
	return list, nil
}

// categoryOf is the markup of the deepest branch that a product stands in, nil for none. lacks says
// why that is not known, "" where it is.
func (r PriceRule) categoryOf(t store.Terms) (markup *CategoryMarkup, lacks string) {
	if len(r.Categories) == 0 {
		return nil, ""
	}
	deepest := 0
	for i, c := range r.Categories {
		if depth := c.Path.Depth(t.Branch); depth > deepest {
			deepest, markup = depth, &r.Categories[i]
		}
	}
	if unplaced(t) && deepest == 0 {
		return nil, "the marketplace does not show yet which branch its category " + t.Branch[0] +
			" stands in, and PUBSYNC_PRICE_CATEGORIES goes by that"
	}
	return markup, ""
}

// unplaced reports whether a product has a category of which those above it are not known.
func unplaced(t store.Terms) bool { return t.Rootless && len(t.Branch) > 0 }
