package woocommerce

import (
	"context"
	"regexp"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// comingSoon is what WooCommerce writes into the page that it shows in place of the shop's own,
// with status 200: the sign for caches, and the page's block.
var comingSoon = regexp.MustCompile(`<meta name=["']woo-coming-soon-page["']|wp-block-woocommerce-coming-soon`)

// warningAge is how long what a visitor saw is believed. Where it was the placeholder, a person who
// ends it waits for as long.
const warningAge = 5 * time.Minute

// readWarning looks at a page as a visitor does: that of a product on sale, since the placeholder may
// be shown in place of the shop's pages alone, or the front page where there is no product yet.
func (a *adapter) readWarning(ctx context.Context) (string, error) {
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
