package conform

import (
	"context"
	"slices"

	"github.com/pubsync/pubsync/shopadapter/laws"
)

// RunSome is Run with the laws of these ids alone.
func RunSome(ctx context.Context, e Endpoint, ids []string, report func(Result)) {
	some := slices.DeleteFunc(Laws(), func(l laws.Law) bool { return !slices.Contains(ids, l.ID) })
	runSome(ctx, e, some, report)
}
