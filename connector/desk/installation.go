package desk

import (
	"context"
	"net/http"

	"github.com/pubsync/pubsync/store"
)

// Installation returns what the store keeps of the installation as a public app: zero without one.
// The token is encrypted with the app's secret.
func (l *Local) Installation(ctx context.Context) (store.Installation, error) {
	i, _, err := store.InstallationOf(ctx, l.Store)
	return i, err
}

func (c *Client) Installation(ctx context.Context) (i store.Installation, err error) {
	err = c.ask(ctx, http.MethodGet, installationPath, nil, &i)
	return i, err
}

const installationPath = "/api/v1/installation"

func (h *Handler) installation(w http.ResponseWriter, r *http.Request) {
	i, err := h.desk.Installation(r.Context())
	answer(w, i, err)
}
