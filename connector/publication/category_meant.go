package publication

import (
	"fmt"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// The settings that name categories.
const (
	settingCategories = "PUBSYNC_PRICE_CATEGORIES"
	settingSkipped    = "PUBSYNC_SKIP_CATEGORIES"
)

// A categoryRule is one category that a setting names.
type categoryRule struct {
	setting string
	path    CategoryPath
}

func (r Rules) categoryRules() (all []categoryRule) {
	for _, c := range r.Price.Categories {
		all = append(all, categoryRule{settingCategories, c.Path})
	}
	for _, path := range r.Skip.Categories {
		all = append(all, categoryRule{settingSkipped, path})
	}
	return all
}

// NamesCategories reports whether a rule goes by a category.
func (r Rules) NamesCategories() bool { return len(r.categoryRules()) > 0 }

// Unmeant says which rules cannot be meant as they are written, by the marketplace's tree: their
// category is not in it, or is that of a rule before. It names what was likely meant.
func (r Rules) Unmeant(tree []marketplace.CategoryNode) (warnings []string) {
	branches := branchesOf(tree)
	if len(branches) == 0 {
		return nil
	}
	met := map[string]CategoryPath{} // setting and category -> the rule for it
	for _, rule := range r.categoryRules() {
		found := false
		for i, branch := range branches {
			if rule.path.Depth(branch) != len(branch) {
				continue
			}
			found = true
			key := rule.setting + " " + tree[i].Path
			if first, twice := met[key]; twice {
				warnings = append(
					warnings,
					fmt.Sprintf("%s has two rules for the category %s, %s and %s: the first counts",
						rule.setting, tree[i].Path, first, rule.path),
				)
				continue
			}
			met[key] = rule.path
		}
		if found {
			continue
		}
		why := fmt.Sprintf("%s: the marketplace has no category %s", rule.setting, rule.path)
		if likely := likelyCategory(rule.path, tree, branches); likely != "" {
			why += ": did you mean " + likely + "?"
		}
		warnings = append(warnings, why)
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
	levels := strings.Split(string(path), "/")
	last := levels[len(levels)-1]
	likely, least := "", len(whole)/4+1
	for i, branch := range branches {
		own := categoryWord(branch[len(branch)-1])
		far := levenshtein.ComputeDistance(whole, own)
		if last == categoryWord(tree[i].Name) || last == levelOf(branch) {
			far = min(far, 1)
		}
		if far < least {
			likely, least = chained(branch), far
		}
	}
	return likely
}

// levelOf is what the last path of a branch has beyond the one above it.
func levelOf(branch []string) string {
	last := len(branch) - 1
	own := categoryWord(branch[last])
	if last == 0 {
		return own
	}
	return strings.TrimPrefix(own, categoryWord(branch[last-1])+"_")
}

// chained is a branch as a merchant writes it: FASHION/SHOES.
func chained(branch []string) string {
	levels := make([]string, len(branch))
	for i := range branch {
		levels[i] = levelOf(branch[:i+1])
	}
	return strings.Join(levels, "/")
}
