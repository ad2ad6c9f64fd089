package marketplace

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/client"
	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
	"github.com/pubsync/pubsync/connector/marketplace/internal/wire"
)

// A wireAccount is the account as its document asks for it.
type wireAccount struct{ Name, Slug wire.Text }

// Account is the slug of the account that the token belongs to, or its name where it has no slug.
// It is "" without an error where the token may not read it, or the schema has no such field.
func (r *Reader) Account(ctx context.Context) (string, error) {
	const op = "read account"
	answer, err := r.conn.Run(ctx, Urgent, nil, func(Forms) (client.Request, error) {
		return client.Request{
			Op:  op,
			Doc: document.Typed(document.Query, "Account", nil, [2]any{"account", wireAccount{}}),
		}, nil
	})
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok && (e.Denied || e.Kind == Invalid) {
			return "", nil
		}
		return "", err
	}
	var data struct{ Account *wireAccount }
	if err := document.Unmarshal(answer.Data, &data); err != nil {
		return "", fault.Unreadable(op, err)
	}
	if data.Account == nil {
		return "", nil
	}
	return strings.TrimSpace(cmp.Or(string(data.Account.Slug), string(data.Account.Name))), nil
}
