package say

import (
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// Superfluous says what to do about registrations that deliver the same events again.
func Superfluous(hooks []marketplace.Webhook) string {
	var parts []string
	for _, h := range hooks {
		parts = append(parts, fmt.Sprintf("%s (%s)", Plain(h.ID), Plain(h.CallbackURL)))
	}
	return "superfluous, remove in the marketplace's admin: " + strings.Join(parts, ", ")
}
