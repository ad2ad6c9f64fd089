package install

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// accountTimeout bounds the request that asks whose token it is, and the wait for another
// installation that is being stored.
const accountTimeout = 8 * time.Second

func otherAccount() *refusal {
	return &refusal{
		http.StatusConflict, "account", "This pubsync works for another account of the marketplace.",
		"Nothing was stored. Install the app for the account that this pubsync works for, or give the other account " +
			"a pubsync with a store of its own.",
	}
}

// otherID refuses an account whose id differs from that of the last installation.
func (h *Handler) otherID(ctx context.Context, id string) *refusal {
	last, _, err := store.InstallationOf(ctx, h.Store)
	switch {
	case err != nil:
		return h.unstored(err)
	case id != "" && last.Account != "" && id != last.Account:
		return otherAccount()
	}
	return nil
}

// bind ties the store to the account of a token, and refuses the token of another account. Where
// the store has an account already, it also refuses a token whose account is unknown.
func (h *Handler) bind(ctx context.Context, token, id string) *refusal {
	if no := h.otherID(ctx, id); no != nil { // another installation may have come first
		return no
	}
	account, asked := h.Account(ctx, token)
	if asked != nil && marketplace.KindOf(asked) == marketplace.Unauthorized {
		return &refusal{http.StatusBadGateway, "token", "The marketplace refuses the token that it gave.", startAgain}
	}
	have, err := store.Account(ctx, h.Store)
	if err != nil {
		return h.unstored(err)
	}
	last, _, err := store.InstallationOf(ctx, h.Store)
	switch {
	case err != nil:
		return h.unstored(err)
	case asked != nil && have != "":
		return &refusal{
			http.StatusBadGateway,
			"exchange",
			"The marketplace did not say whose token it gave.",
			startAgain,
		}
	case account == "" && have != "" && (id == "" || id != last.Account):
		return &refusal{
			http.StatusConflict, "account", "The token does not tell whose it is, and this pubsync works for one " +
				"account already.",
			"Nothing was stored. PUBSYNC_OAUTH_SCOPES must ask for account_read.",
		}
	}
	var other *store.AccountError
	switch err := store.ClaimAccount(ctx, h.Store, account); {
	case errors.As(err, &other):
		return otherAccount()
	case err != nil:
		return h.unstored(err)
	}
	return nil
}
