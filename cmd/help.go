package cmd

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command, without one all of them."`
}

// Run reads a command line of the command and --help.
func (h *helpCommand) Run(a *app) error {
	printed := false
	parser, err := newParser(&cli{}, a.stdout, a.stderr, func(int) { printed = true })
	if err != nil {
		return err
	}
	if _, err = parser.Parse(append(h.Command, "--help")); err != nil && !printed {
		return usageOf(err)
	}
	return nil
}

// printHelp prints kong's help and the command's examples.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	if err := kong.DefaultHelpPrinter(o, ctx); err != nil {
		return err
	}
	command := ""
	if node := ctx.Selected(); node != nil {
		command = strings.TrimPrefix(node.Path(), ctx.Model.Name+" ")
		if alone := node.DefaultCmd; alone != nil && alone.Hidden {
			fmt.Fprintf(ctx.Stdout, "\nFlags of %s alone:\n", node.Name)
			for _, f := range alone.Flags {
				fmt.Fprintf(ctx.Stdout, "  --%-18s %s\n", f.Name, f.Help)
			}
		}
	}
	lines := examples[command]
	if len(lines) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(ctx.Stdout, "\nExamples:\n  %s\n", strings.Join(lines, "\n  "))
	return err
}
