package desk

import (
	"context"
	"net/http"

	"github.com/pubsync/pubsync/store"
)

// An Installation is the store's record of the installation as a public app, and whether a worker
// serves it. Its token is encrypted with the app's secret.
type Installation struct {
	store.Installation
	Served bool `json:"served"` // a worker runs that serves the addresses of an installation
}

// Installation returns what the store keeps. Without an installation only Served is set.
func (l *Local) Installation(ctx context.Context) (Installation, error) {
	i, _, err := store.InstallationOf(ctx, l.Store)
	return Installation{Installation: i, Served: l.Installs}, err
}

// Installation returns what the store of that process keeps.
func (c *Client) Installation(ctx context.Context) (i Installation, err error) {
	err = c.ask(ctx, http.MethodGet, installationPath, nil, &i)
	return i, err
}

const installationPath = "/api/v1/installation"

func (h *Handler) installation(w http.ResponseWriter, r *http.Request) {
	i, err := h.desk.Installation(r.Context())
	answer(w, i, err)
}
