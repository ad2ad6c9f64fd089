package store

import "fmt"

// AccountError says that the store belongs to another marketplace account.
type AccountError struct{ Store, Token string }

func (e *AccountError) Error() string {
	return fmt.Sprintf("store belongs to the marketplace account %q, the token to %q: use another PUBSYNC_STORE_PATH or the right token",
		e.Store, e.Token)
}

// MetaAccount is the fact that ClaimAccount writes. It is set once.
const MetaAccount = "account"

// Account is the marketplace account that the store belongs to, "" when that is not known yet.
func Account(s Reader) (string, error) { return s.Meta(MetaAccount) }

// ClaimAccount ties the store to a marketplace account for good. Another account is an *AccountError; "" is no account and ties nothing.
func ClaimAccount(s Store, account string) error {
	if account == "" {
		return nil
	}
	if have, err := Account(s); err != nil || have == account {
		return err
	}
	return s.SetMeta(MetaAccount, account)
}

// MetaAccountID is the fact that LearnAccountID writes.
const MetaAccountID = "account.id"

// AccountID is the marketplace's id of the account that the store belongs to, as installations and the headers of webhooks name it; "" when that is not
// known yet.
func AccountID(s Facts) (string, error) { return s.Meta(MetaAccountID) }

// LearnAccountID keeps the id of the store's account, unless one is known. "" is no id.
func LearnAccountID(s Facts, id string) error {
	if have, err := AccountID(s); err != nil || have != "" || id == "" {
		return err
	}
	return s.SetMeta(MetaAccountID, id)
}
