package store

import (
	"context"
	"fmt"
)

// AccountError says that the store belongs to another marketplace account.
type AccountError struct{ Store, Token string }

func (e *AccountError) Error() string {
	return fmt.Sprintf(
		"store belongs to the marketplace account %q, the token to %q: use another PUBSYNC_STORE_PATH or the right "+
			"token",
		e.Store,
		e.Token,
	)
}

// MetaAccount is the fact that ClaimAccount writes. It is set once.
const MetaAccount = "account"

// Account is the marketplace account that the store belongs to, "" when that is not known yet.
func Account(ctx context.Context, s Reader) (string, error) { return s.Meta(ctx, MetaAccount) }

// ClaimAccount ties the store to a marketplace account for good. Another account is an
// *AccountError; "" is no account and ties nothing.
func ClaimAccount(ctx context.Context, s Store, account string) error {
	if account == "" {
		return nil
	}
	if have, err := Account(ctx, s); err != nil || have == account {
		return err
	}
	return s.SetMeta(ctx, MetaAccount, account)
}
