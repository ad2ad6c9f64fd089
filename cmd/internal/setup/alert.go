package setup

import (
	"log/slog"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/alert"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/store"
)

// alertTimeout bounds one request to a receiver of alerts.
const alertTimeout = 10 * time.Second

// alerter tells the receivers of the settings what needs a person. Without any it does nothing.
func (c *Setup) alerter(d desk.Desk, facts store.Store, log *slog.Logger) *alert.Alerter {
	receivers := map[string]alert.Receiver{}
	if c.AlertURL != "" {
		client := c.ShopClient()
		client.Timeout = alertTimeout
		receivers["url"] = alert.Post{URL: string(c.AlertURL), Client: client}
	}
	if address := c.AlertMail.URL; address != nil {
		receivers["mail"] = alert.Mail{Address: address}
	}
	return &alert.Alerter{Receivers: receivers, Account: c.Account, Desk: d, Store: facts, Redact: c.Redact, Log: log}
}

// NeverAlert has no receiver told: what happens is made up.
func (c *Setup) NeverAlert() {
	c.AlertURL, c.AlertMail = config.Settings{}.AlertURL, config.Settings{}.AlertMail
}
