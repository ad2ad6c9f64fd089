// Package cmd is the pubsync program: a binary imports shop adapters and makes one call.
//
//	package main
//
//	import (
//		"github.com/pubsync/pubsync/cmd"
//		_ "example.com/myshop"
//	)
//
//	func main() { cmd.Main() }
//
// The adapters catalog (for `demo`) and http (for `conform`) are always there. Most commands have a file of their own
// name: they read flags, ask a desk (package connector/desk) and print the answer. internal/setup opens the desk, of a
// store or of the worker that holds it; no command knows which. config/settings.go lists the settings.
package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/demo"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	_ "github.com/pubsync/pubsync/shopadapter/catalog" // what the demo publishes to
	"github.com/pubsync/pubsync/store"
)

// Main runs the program and ends the process. The first SIGINT or SIGTERM ends the command, the second the process.
func Main() {
	ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() {
		<-ctx.Done()
		time.Sleep(sameSignal)
		again := make(chan os.Signal, 1)
		signal.Notify(again, os.Interrupt, syscall.SIGTERM)
		<-again
		os.Exit(exit.Interrupted)
	}()
	os.Exit(exit.Tell(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr), os.Stderr))
}

// sameSignal makes two signals one: some supervisors signal the process and its group.
const sameSignal = 250 * time.Millisecond

type cli struct {
	EnvFile     []string         `name:"env-file" sep:"none" placeholder:"FILE" help:"${envFile}"`
	Account     string           `name:"account" placeholder:"NAME" help:"${account}"`
	ShowVersion kong.VersionFlag `name:"version" help:"Print what pubsync version prints, and end."`

	Run          runCommand          `cmd:"" help:"The worker, until it is stopped; with --once a single run, for cron."`
	Plan         planCommand         `cmd:"" help:"What a run would create, change and withdraw, without doing it."`
	Demo         demoCommand         `cmd:"" help:"A marketplace, the worker and a shop, without any configuration."`
	Status       statusCommand       `cmd:"" help:"Counts by state, backlog, budget, webhook, last sweeps, last error."`
	Publications publicationsCommand `cmd:"" help:"The import list as the connector knows it."`
	Explain      explainCommand      `cmd:"" help:"All that is known of one publication."`
	Retry        retryCommand        `cmd:"" help:"Makes publications due now."`
	Approve      heldCommand         `cmd:"" help:"Lets held changes through, at the values that --list shows."`
	Decline      heldCommand         `cmd:"" help:"Keeps what is until the supplier changes it again, or retry asks."`
	Doctor       doctorCommand       `cmd:"" help:"Checks all that a worker depends on, and says what to do."`
	Backup       backupCommand       `cmd:"" help:"A consistent copy of the store, also while the worker runs."`
	Store        storeCommand        `cmd:"" help:"The store itself: copy."`
	Adapters     adaptersCommands    `cmd:"" help:"The shop adapters, and the settings of one; adapters new writes one."`
	Conform      conformCommand      `cmd:"" help:"Holds the HTTP shop of the settings to the laws of its protocol."`
	Sandbox      sandboxCommand      `cmd:"" help:"The sandbox marketplace alone; sandbox do has something happen there."`
	Version      versionCommand      `cmd:"" help:"Version, commit, Go version."`
}

func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	var c cli
	exited := false
	parser, err := kong.New(
		&c,
		kong.Name("pubsync"),
		kong.Description("Keeps a web shop in step with a wholesale marketplace's dropshipping import list.\n\n"+
			"Begin with pubsync demo; then pubsync doctor, plan and run, each with --env-file pubsync.env."),
		kong.Writers(stdout, stderr),
		kong.Exit(func(int) { exited = true }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
		kong.Vars{
			"version": buildVersion().String(),
			"envFile": "File with settings in the form of config.example.env; the process environment wins. " +
				"May be given more than once.",
			"account": "Which account is meant, where PUBSYNC_ACCOUNTS_DIR names a folder of several. Without it " +
				"status, doctor and run do all.",
			"failOn": "With --once: which standing states make exit 1, of " + strings.Join(standings, ",") +
				"; all of them when it is not given. From cron leave out rejected: only the supplier can mend that.",
			"states":        strings.Join(strings.Fields(strings.Trim(fmt.Sprint(store.States()), "[]")), ","),
			"sandboxToken":  sandbox.DefaultToken,
			"sandboxSecret": sandbox.DefaultSecret,
			"sandboxListen": demo.Listen,
		},
	)
	if err != nil {
		return err
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if exited {
		return nil // help or the version was printed
	}
	if err != nil {
		return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("%w (pubsync --help)", err)}
	}
	out := &printer{Writer: stdout}
	a := &app{env: config.Read(environ, c.EnvFile), stdout: out, stderr: stderr, account: c.Account}
	parsed.BindTo(ctx, (*context.Context)(nil))
	return errors.Join(parsed.Run(a), out.err)
}
