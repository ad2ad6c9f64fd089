package cmd

import (
	"context"
	"os"
	_ "time/tzdata" // the binary runs where there is no system to ask

	_ "github.com/pubsync/pubsync/shopadapter/catalog" // what the demo publishes to
	_ "github.com/pubsync/pubsync/shopadapter/http"    // what conform holds to the laws
)

// Main runs the program with the arguments and the environment of the process, and ends the
// process. It is all that a main function calls; the shop adapters are those that have registered
// themselves by then.
func Main() {
	ctx, stop := interruptible(context.Background(), os.Exit)
	code := exitCode(run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr), os.Stderr)
	stop()
	os.Exit(code)
}
