package publication

import (
	"errors"
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// A CategoryPath names a branch of the marketplace's categories as a merchant writes it: a path
// such as FASHION_SHOES, or FASHION/SHOES by its levels. Each level is a path, or what the path has
// beyond the one above it.
type CategoryPath string

// A CategoryMarkup is the markup of one branch of categories.
type CategoryMarkup struct {
	Path   CategoryPath
	Markup decimal.Decimal
	Added  bool // to the markup otherwise; else in its place
}

// The settings that name categories.
const (
	settingCategories = "PUBSYNC_PRICE_CATEGORIES"
	settingSkipped    = "PUBSYNC_SKIP_CATEGORIES"
)

const (
	mostCategoryText = 500 // bytes
	mostCategories   = 1000
)

// ParseCategories reads a list of branches such as FASHION/SHOES,GARDEN.
func ParseCategories(s string) ([]CategoryPath, error) {
	none := errors.New("is not a list of categories such as FASHION/SHOES,GARDEN")
	met := map[CategoryPath]int{}
	return parseList(s, ",;", mostCategories, none, func(part string) (CategoryPath, error) {
		return parseOnce(part, met, "has the category of place %d again in place %d: take one away")
	})
}

// ParseCategoryMarkups reads markups such as GARDEN=+10%; FASHION/SHOES=80%.
func ParseCategoryMarkups(s string) ([]CategoryMarkup, error) {
	none := errors.New("is not a list of categories and markups such as GARDEN=+10%; FASHION/SHOES=80%")
	met := map[CategoryPath]int{}
	return parseList(s, ";", mostCategories, none, func(part string) (c CategoryMarkup, err error) {
		path, percent, found := strings.Cut(part, "=")
		if !found {
			return c, none
		}
		percent = strings.TrimSpace(percent)
		c.Added = strings.HasPrefix(percent, "+") || strings.HasPrefix(percent, "-")
		c.Path, err = parseOnce(path, met,
			"has the category of rule %d again in rule %d, of which only one can apply: take one away")
		if err == nil {
			c.Markup, err = parsePercent(strings.TrimPrefix(percent, "+"))
		}
		return c, err
	})
}

// parseOnce reads a category that is not among those met before.
func parseOnce(s string, met map[CategoryPath]int, twice string) (CategoryPath, error) {
	path, err := parseCategory(s)
	if first := met[path]; err == nil && first > 0 {
		return path, fmt.Errorf(twice, first, len(met)+1)
	}
	met[path] = len(met) + 1
	return path, err
}

func parseCategory(s string) (CategoryPath, error) {
	levels := strings.Split(s, "/")
	empty := false
	for i, level := range levels {
		levels[i] = categoryWord(level)
		empty = empty || levels[i] == ""
	}
	path := strings.Join(levels, "/")
	if empty || len(path) > mostCategoryText || strings.Trim(path, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_/") != "" {
		return "", errors.New("has a category that is no path such as GARDEN or FASHION/SHOES")
	}
	return CategoryPath(path), nil
}

// categoryWord is a text as the marketplace writes the path of a category.
func categoryWord(s string) string {
	return strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToUpper(strings.TrimSpace(s)))
}

// Depth is how deep in a branch the path's last level stands, from 1 on; 0 where the branch is
// another. branch has the paths of its categories from the root.
func (p CategoryPath) Depth(branch []string) int {
	levels := strings.Split(string(p), "/")
	for end := len(branch); end >= len(levels); end-- {
		if endsIn(levels, branch[:end]) {
			return end
		}
	}
	return 0
}

func endsIn(levels, branch []string) bool {
	from := len(branch) - len(levels)
	for i, level := range levels {
		path := categoryWord(branch[from+i])
		if path != level && (i == 0 || path != categoryWord(branch[from+i-1])+"_"+level) {
			return false
		}
	}
	return true
}

// categoryOf is the markup of the deepest branch that a product stands in, nil for none. lacks says
// why that is not known, "" where it is.
func (r PriceRule) categoryOf(t store.Terms) (markup *CategoryMarkup, lacks string) {
	deepest := 0
	for i, c := range r.Categories {
		if depth := c.Path.Depth(t.Branch); depth > deepest {
			deepest, markup = depth, &r.Categories[i]
		}
	}
	if len(r.Categories) > 0 && deepest == 0 {
		lacks = unplaced(t, settingCategories)
	}
	return markup, lacks
}

// unplaced says that a product has a category of which those above it are not known, "" where it has
// none.
func unplaced(t store.Terms, setting string) string {
	if !t.Rootless || len(t.Branch) == 0 {
		return ""
	}
	return "the marketplace does not show yet which branch its category " + t.Branch[0] + " stands in, and " + setting +
		" goes by that"
}

// Unmeant says which rules cannot be meant as they are written, by the marketplace's tree: their
// category is not in it, or is that of a rule before. It names what was likely meant.
func (r Rules) Unmeant(tree []marketplace.CategoryNode) (warnings []string) {
	if len(tree) == 0 {
		return nil
	}
	branches := branchesOf(tree)
	judge := func(setting string, path CategoryPath, met map[string]CategoryPath) {
		found := false
		for i, branch := range branches {
			if path.Depth(branch) != len(branch) {
				continue
			}
			found = true
			if first, twice := met[tree[i].Path]; twice {
				warnings = append(warnings, fmt.Sprintf("%s has two rules for the category %s, %s and %s: the first counts",
					setting, tree[i].Path, first, path))
			} else {
				met[tree[i].Path] = path
			}
		}
		if !found {
			why := fmt.Sprintf("%s: the marketplace has no category %s", setting, path)
			if likely := likelyCategory(path, tree, branches); likely != "" {
				why += ": did you mean " + likely + "?"
			}
			warnings = append(warnings, why)
		}
	}
	priced, skipped := map[string]CategoryPath{}, map[string]CategoryPath{}
	for _, c := range r.Price.Categories {
		judge(settingCategories, c.Path, priced)
	}
	for _, path := range r.Skip.Categories {
		judge(settingSkipped, path, skipped)
	}
	return warnings
}

// mostLevels bounds a branch: a tree may go in circles.
const mostLevels = 10

// branchesOf is the paths from the root to each node of a tree.
func branchesOf(tree []marketplace.CategoryNode) [][]string {
	parent := make(map[string]string, len(tree))
	for _, n := range tree {
		parent[n.Path] = n.Parent
	}
	branches := make([][]string, len(tree))
	for i, n := range tree {
		for path := n.Path; path != "" && len(branches[i]) < mostLevels; path = parent[path] {
			branches[i] = append([]string{path}, branches[i]...)
		}
	}
	return branches
}

// likelyCategory is the category that was likely meant by one that is not there, "" for none: the
// one that is called so in the shop's language, or whose last level is, or that differs by few
// letters.
func likelyCategory(path CategoryPath, tree []marketplace.CategoryNode, branches [][]string) string {
	whole := strings.ReplaceAll(string(path), "/", "_")
	last := string(path[strings.LastIndex(string(path), "/")+1:])
	likely, least := "", len(whole)/4+1
	for i, branch := range branches {
		levels := make([]string, len(branch)) // as a merchant writes them: FASHION/SHOES
		above, own := "", ""
		for n := range branch {
			own = categoryWord(branch[n])
			levels[n] = strings.TrimPrefix(own, above)
			above = own + "_"
		}
		far := levenshtein.ComputeDistance(whole, own)
		if last == categoryWord(tree[i].Name) || last == levels[len(levels)-1] {
			far = min(far, 1)
		}
		if far < least {
			likely, least = strings.Join(levels, "/"), far
		}
	}
	return likely
}
