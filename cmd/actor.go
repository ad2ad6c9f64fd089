package cmd

import (
	"os/user"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
)

// actorOf is who gives the command: the name that is set, or else that of the system's user.
func actorOf(e config.Environment) desk.Actor {
	name := e.Value(config.Prefix + "ACTOR")
	if name == "" {
		if u, err := user.Current(); err == nil {
			name = u.Username
		}
	}
	return desk.NewActor(name, desk.ViaCommand)
}
