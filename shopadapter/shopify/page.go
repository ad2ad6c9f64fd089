package shopify

import "github.com/pubsync/pubsync/shopadapter"

// nodes is a page of a connection.
type nodes[T any] struct {
	Nodes []T      `json:"nodes"`
	Page  pageInfo `json:"pageInfo"`
}

type pageInfo struct {
	More bool   `json:"hasNextPage"`
	End  string `json:"endCursor"`
}

// mostPages bounds the pages of a list that is read whole: ten times what a product's variants
// take.
const mostPages = 110

// A walk goes through the pages of a list. A list that comes back to a cursor, gives none or has
// too many pages is an error, in place of a walk without end.
type walk struct {
	seen map[string]bool
	most int // pages; 0: any number
}

// on tells whether another page follows.
func (w *walk) on(p pageInfo) (bool, error) {
	switch {
	case !p.More:
		return false, nil
	case p.End == "" || w.seen[p.End] || w.most > 0 && len(w.seen) >= w.most:
		return false, shopadapter.Retry("the shop's list does not end")
	case w.seen == nil:
		w.seen = map[string]bool{}
	}
	w.seen[p.End] = true
	return true, nil
}

// rest is the whole list: the first page, and the pages that next reads after it.
func rest[T any](first nodes[T], next func(after string) (nodes[T], error)) ([]T, error) {
	all, w := first.Nodes, walk{most: mostPages}
	for page := first; ; {
		more, err := w.on(page.Page)
		if err != nil || !more {
			return all, err
		}
		if page, err = next(page.Page.End); err != nil {
			return all, err
		}
		all = append(all, page.Nodes...)
	}
}
