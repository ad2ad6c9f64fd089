package setup

import (
	"net/http"
	"net/url"

	"github.com/pubsync/pubsync/connector/visitor"
)

// Visitor sees the pages of products. A page may be in a private network where an address of the
// shop's settings is there too.
func (c *Setup) Visitor() *http.Client {
	var hosts []string
	for _, value := range c.Adapter {
		u, err := url.Parse(value)
		if err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" {
			hosts = append(hosts, visitor.Beside(u.Hostname())...)
		}
	}
	return visitor.NewClient(hosts...)
}
