package harness

import (
	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector"
)

// Markup has the rules add percents to each price.
func Markup(percent int64) func(*connector.Options) {
	return func(o *connector.Options) { o.Rules.Price.Markup = decimal.NewFromInt(percent) }
}
