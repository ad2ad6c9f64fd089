package setup

import (
	"net/url"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/visitor"
)

// visits is how the pages of products are visited. A page may be in a private network where an
// address of the shop's settings is there too.
func (c *Setup) visits() connector.Visits {
	if c.VerifyURL == "off" {
		return connector.Visits{}
	}
	var hosts []string
	for _, value := range c.Adapter {
		u, err := url.Parse(value)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" {
			hosts = append(hosts, visitor.Beside(u.Hostname())...)
		}
	}
	return connector.Visits{Client: visitor.NewClient(hosts...), Strict: c.VerifyURL == "strict"}
}
