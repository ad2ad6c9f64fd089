package laws

import (
	_ "embed"
	"strings"
)

// The book has for each law a head, "# id: what it needs", the sentence, and the steps that exercise
// it: see the player. A law without steps has a check in Go.
//
//go:embed book.txt
var book string

// Book lists every law, from the plain to the unlikely.
func Book() (all []Law) {
	for _, entry := range strings.Split("\n"+book, "\n# ")[1:] {
		head, rest, _ := strings.Cut(entry, "\n")
		id, needs, _ := strings.Cut(head, ": ")
		sentence, steps, told := strings.Cut(rest, "\n\n\t")
		law := Law{ID: id, needs: needs, Sentence: strings.Join(strings.Fields(sentence), " "), check: checks[id]}
		if told {
			law.check = func(b *bench) { play(b, steps) }
		}
		all = append(all, law)
	}
	return all
}

// checks are those that a few steps cannot tell.
var checks = map[string]func(*bench){
	"health": checkHealth, "token": checkToken, "put": checkPut, "overlap": checkOverlap,
	"delete": checkDelete, "list-observed": checkListObserved,
	"problem": checkProblem, "large": checkLarge,

	"hostile-ids": checkHostileIDs, "never-half-built": checkNeverHalfBuilt,
	"credentials": checkCredentials, "checker": checkChecker, "no-secret": checkNoSecret, "parallel": checkParallel,
	"cancel": checkCancel, "input-unmodified": checkInput, "observed-cost": checkObservedCost,
}
