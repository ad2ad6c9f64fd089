package woocommerce

import (
	"context"
	"regexp"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

var _ shopadapter.Warner = (*adapter)(nil)

// comingSoon is what WooCommerce writes into the page that it shows in place of the shop's own,
// with status 200: the sign for caches, and the page's block.
var comingSoon = regexp.MustCompile(`<meta name=["']woo-coming-soon-page["']|wp-block-woocommerce-coming-soon`)

// Warning looks at a page as a visitor does: that of a product on sale, since the placeholder may
// be shown in place of the shop's pages alone, or the front page where there is no product yet.
func (a *adapter) Warning(ctx context.Context) (string, error) {
	var some rest.List[rest.Product]
	err := a.Get(ctx, rest.KindRead, "/products", &some, "per_page", "1", "status", "publish",
		"_fields", "id,status,permalink")
	if err != nil {
		return "", err
	}
	address := a.Base + "/"
	for _, p := range some {
		if p.Status == "publish" && strings.HasPrefix(string(p.Link), address) {
			address = string(p.Link)
		}
	}
	page, err := a.Visit(ctx, address)
	if err != nil || !comingSoon.Match(page) {
		return "", err
	}
	return "visitors see WooCommerce's \"coming soon\" page in place of your products: choose Live in WooCommerce > " +
		"Settings > Site visibility", nil
}
