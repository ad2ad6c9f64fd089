package cmd

import (
	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	predict "github.com/posener/complete"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// completionCommand prints what a shell needs to complete commands and flags.
type completionCommand struct {
	kongcompletion.Completion
}

// completed answers the shell if it asks for completions (COMP_LINE), and reports whether it did.
func completed(parser *kong.Kong) (done bool) {
	kongcompletion.Register(parser,
		kongcompletion.WithPredictors(map[string]predict.Predictor{
			"file":     predict.PredictFiles("*"),
			"dir":      predict.PredictDirs("*"),
			"adapter":  predict.PredictSet(shopadapter.Names()...),
			"state":    predict.PredictSet(words(store.States())...),
			"standing": predict.PredictSet(standingNames()...),
			"kind":     predict.PredictSet(words(store.HoldKinds())...),
		}),
		kongcompletion.WithExitFunc(func(int) { done = true }),
	)
	return done
}

// words returns named values as texts.
func words[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}
