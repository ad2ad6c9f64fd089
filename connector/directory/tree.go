package directory

import (
	"math"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// mostLevels bounds a branch. The specification shows three levels.
const mostLevels = 10

// A Tree is the marketplace's categories as they were last read.
type Tree struct {
	Language string                     `json:"language"` // of the names
	Nodes    []marketplace.CategoryNode `json:"nodes"`

	// when the tree was last read again for each path that it lacked
	Missed  map[string]time.Time `json:"missed,omitempty"`
	Missing time.Time            `json:"missing,omitzero"` // and for any path

	byPath map[string]int
	top    int // the depth of the categories that have none above them
}

// index readies a tree for Branch.
func (t *Tree) index() {
	t.byPath = make(map[string]int, len(t.Nodes))
	t.top = math.MaxInt
	for i, n := range t.Nodes {
		t.byPath[n.Path] = i
		t.top = min(t.top, n.Depth)
	}
}

// Branch is the categories from the root to the one with a path. It is nil where the tree lacks one
// of them or its name, and where the depth of the first says that others are above it.
func (t *Tree) Branch(path string) []marketplace.CategoryNode {
	var branch []marketplace.CategoryNode
	for range mostLevels {
		i, ok := t.byPath[path]
		if !ok || t.Nodes[i].Name == "" {
			return nil
		}
		branch = append(branch, t.Nodes[i])
		if path = t.Nodes[i].Parent; path == "" && t.Nodes[i].Depth > t.top {
			return nil
		}
		if path == "" {
			for i, j := 0, len(branch)-1; i < j; i, j = i+1, j-1 {
				branch[i], branch[j] = branch[j], branch[i]
			}
			return branch
		}
	}
	return nil // it has no root
}

const (
	missAgain  = 10 * time.Minute // between two readings for paths that the tree lacks
	missFor    = 24 * time.Hour   // before the tree is read again for the same path
	mostMissed = 200              // paths that are remembered
)

// lacks reports whether the tree is to be read again for a path.
func (t *Tree) lacks(path string, now time.Time) bool {
	_, ok := t.byPath[path]
	return !ok && len(t.Nodes) > 0 && !within(t.Missing, now, missAgain) && !within(t.Missed[path], now, missFor)
}

// missed records that the tree was read again for a path and still lacks it; read says whether the
// answer could be read.
func (t *Tree) missed(path string, now time.Time, read bool) {
	if t.Missing = now; !read {
		return
	}
	for path, at := range t.Missed {
		if !within(at, now, missFor) {
			delete(t.Missed, path)
		}
	}
	if t.Missed == nil {
		t.Missed = make(map[string]time.Time)
	}
	if len(t.Missed) < mostMissed {
		t.Missed[path] = now
	}
}

// within reports whether now is less than d after at. It is false where at lies ahead: the clock
// was set back since.
func within(at, now time.Time, d time.Duration) bool {
	age := now.Sub(at)
	return age >= 0 && age < d
}
