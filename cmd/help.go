package cmd

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// printHelp prints kong's help, and the flags of a command that stands for others too.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	node := ctx.Selected()
	if node == nil || node.DefaultCmd == nil || !node.DefaultCmd.Hidden {
		return nil
	}
	fmt.Fprintf(ctx.Stdout, "\nFlags of %s alone:\n", node.Name)
	for _, f := range node.DefaultCmd.Flags {
		fmt.Fprintf(ctx.Stdout, "  --%-18s %s\n", f.Name, f.Help)
	}
	return nil
}
