package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// checkCategories warns of rules whose category the marketplace does not have. A token that may not
// read the tree is told where a rule goes by it.
func (x *examination) checkCategories(ctx context.Context) (string, error) {
	d, err := x.market.Directory(ctx, x.Rules.Languages[0], marketplace.PartCategories)
	if err != nil {
		return "", err
	}
	if refused := d.Refused[marketplace.PartCategories]; refused != nil {
		return "", fmt.Errorf("rules go by categories, and the marketplace does not tell its tree, so that what they "+
			"are about waits: %w", refused)
	}
	warnings := x.Rules.Unmeant(d.Categories)
	if len(warnings) == 0 {
		return fmt.Sprintf("every rule's is among the marketplace's %d", len(d.Categories)), nil
	}
	return say.Harmless("warning: " + strings.Join(warnings, "; ")), nil
}
