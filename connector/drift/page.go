package drift

import (
	"context"

	"github.com/pubsync/pubsync/connector/visitor"
)

// lookAtPage records what a visitor sees in place of the product that the comparison chose. Where
// nothing can be told of its page, what was seen before stands.
func (c *comparison) lookAtPage(ctx context.Context, last string) (saw string) {
	if c.o.Visitor == nil || c.page == "" {
		return ""
	}
	saw, err := visitor.See(ctx, c.o.Visitor, c.page)
	if err != nil {
		c.o.Log.Debug("product page not seen", "address", c.page, "error", err.Error())
		return last
	}
	if saw == "" {
		return ""
	}
	c.o.Log.Warn("visitors see something else than the product", "address", c.page, "seen", saw)
	return "visitors see " + saw + " in place of the product at " + c.page
}
