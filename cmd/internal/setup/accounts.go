package setup

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
)

// Accounts returns the names of the accounts that an environment has. There is one, without a name,
// where it names no folder of accounts.
func Accounts(e config.Environment) ([]string, error) {
	folder := e.AccountsDir()
	if folder == "" {
		return []string{""}, nil
	}
	files, err := config.Accounts(folder)
	if err != nil {
		err = &exit.Error{Code: desk.ExitUsage, Err: fmt.Errorf("configuration:\n%w", err)}
	}
	return slices.Sorted(maps.Keys(files)), err
}

// EnvironmentOf returns the environment of an account, by its name. An environment without a folder
// of accounts has the account "default" alone.
func EnvironmentOf(e config.Environment, name string) (config.Environment, error) {
	folder := e.AccountsDir()
	if folder == "" {
		if name != "" && name != config.DefaultAccount {
			return e, exit.Usage("there is one account, %s: PUBSYNC_ACCOUNTS_DIR is not set", config.DefaultAccount)
		}
		return e, nil
	}
	files, err := config.Accounts(folder)
	file, known := files[name]
	switch {
	case files == nil:
		return e, &exit.Error{Code: desk.ExitUsage, Err: fmt.Errorf("configuration:\n%w", err)}
	case !known:
		return e, exit.Usage("there is no account of that name; there are: %s",
			strings.Join(slices.Sorted(maps.Keys(files)), ", "))
	}
	own, err := e.Account(name, file)
	if err != nil {
		return e, &exit.Error{Code: desk.ExitUsage, Err: fmt.Errorf("configuration:\n%w", err)}
	}
	return own, nil
}
