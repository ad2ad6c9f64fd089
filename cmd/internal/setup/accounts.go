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
	if e.AccountsDir() == "" {
		return []string{""}, nil
	}
	files, err := filesOf(e)
	return slices.Sorted(maps.Keys(files)), err
}

// filesOf returns the file of each account, none where the folder cannot be used.
func filesOf(e config.Environment) (files map[string]string, err error) {
	if err = e.CheckAccounts(); err == nil {
		files, err = config.Accounts(e.AccountsDir())
	}
	return files, configured(err)
}

// configured gives a fault of the configuration its exit code.
func configured(err error) error {
	if err == nil {
		return nil
	}
	return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("configuration:\n%w", err)}
}

// EnvironmentOf returns the environment of an account, by its name. An environment without a folder
// of accounts has the account "default" alone.
func EnvironmentOf(e config.Environment, name string) (config.Environment, error) {
	if e.AccountsDir() == "" {
		if name != "" && name != config.DefaultAccount {
			return e, exit.Usage("there is one account, %s: PUBSYNC_ACCOUNTS_DIR is not set", config.DefaultAccount)
		}
		return e, nil
	}
	files, err := filesOf(e)
	file, known := files[name]
	switch {
	case files == nil:
		return e, err
	case !known:
		return e, exit.Usage("there is no account of that name; there are: %s",
			strings.Join(slices.Sorted(maps.Keys(files)), ", "))
	}
	own, err := e.Account(name, file)
	return own, configured(err)
}
