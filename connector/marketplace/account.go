package marketplace

import (
	"context"
	"errors"
	"strings"
)

// A wireAccount is the account as its document asks for it.
type wireAccount struct{ Name, Slug text }

// Account is the slug of the account that the token belongs to, or its name where it has no slug.
// It is "" where the token may not read it, or the schema has no such field, which is no error:
// nothing else needs it.
func (r *Reader) Account(ctx context.Context) (string, error) {
	const op = "read account"
	answer, err := r.run(ctx, Urgent, nil, func(Forms) (request, error) {
		return request{op: op, doc: typed(query, "Account", nil, [2]any{"account", wireAccount{}})}, nil
	})
	if err != nil {
		if e, ok := errors.AsType[*Error](err); ok && (e.denied || e.Kind == Invalid) {
			return "", nil
		}
		return "", err
	}
	var data struct{ Account *wireAccount }
	if err := unmarshal(answer.data, &data); err != nil {
		return "", unreadable(op, err)
	}
	if data.Account == nil {
		return "", nil
	}
	return strings.TrimSpace(or(string(data.Account.Slug), string(data.Account.Name))), nil
}
