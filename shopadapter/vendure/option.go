package vendure

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A wantedGroup is an option group as the product shall have it. Its code is made from the
// publication and the place among the options. So it is found again after a lost answer, and
// renaming the option renames the group.
type wantedGroup struct {
	code    string
	name    string
	last    string // what the supplier called it at the last write, "" where that is not known
	options []wantedOption

	held optionGroup // what the shop has of it; ID "" while there is none
}

// A wantedOption is one value. Its code is made from the value: another value is another option.
type wantedOption struct {
	code string
	name string
}

// maxGroups is how many options a product may have.
const maxGroups = 20

// groupPrefix starts the codes of a publication's option groups.
func groupPrefix(key string) string { return "pubsync-" + stamp.Digest(key, 8) + "-" }

// groupCode is the code of the group for the option at a place.
func groupCode(key string, place int) string { return groupPrefix(key) + strconv.Itoa(place+1) }

func optionCode(value string) string {
	readable := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, value)
	readable = strings.Trim(readable, "-")
	if len(readable) > 40 {
		readable = readable[:40]
	}
	return strings.TrimPrefix(readable+"-"+stamp.Digest(value, 4), "-")
}

// optionID is the shop's id of a wanted option, "" while there is none.
func (g wantedGroup) optionID(code string) string {
	if i := slices.IndexFunc(g.held.Options, func(o option) bool { return o.Code == code }); i >= 0 {
		return g.held.Options[i].ID
	}
	return ""
}

// PlanOptions finds the wanted groups among those of the product, and the groups of ours that are no
// longer wanted. While a group comes or goes the variants lack an option.
func (w *write) PlanOptions() (skeleton.Rework, error) {
	w.planGroups()
	w.surplus, w.foreign = nil, ""
	for _, held := range w.held.OptionGroups {
		i := slices.IndexFunc(w.groups, func(g wantedGroup) bool { return g.code == held.Code })
		switch {
		case i >= 0 && w.groups[i].held.ID == "":
			w.groups[i].held = held
		case i >= 0, strings.HasPrefix(held.Code, groupPrefix(w.key)):
			w.surplus = append(w.surplus, held)
		default:
			w.foreign = held.Code
		}
	}
	gap := len(w.surplus) > 0 || slices.ContainsFunc(w.groups, func(g wantedGroup) bool { return g.held.ID == "" })
	switch {
	case w.foreign != "" && (gap || w.Variants.Incomplete() || !w.chosenAlready()):
		return skeleton.Nothing, shopadapter.Block(
			"the product %s has the option group %q, which was added by hand: take it off the product, since every "+
				"variant needs an option of each group",
			w.held.ID,
			w.a.scrub(w.foreign),
		)
	case gap:
		return skeleton.Gap, nil
	}
	return skeleton.Nothing, nil
}

// WriteOptions brings the product's option groups and their options to what is wanted; options that
// are no longer wanted stay for tidyOptions.
func (w *write) WriteOptions(ctx context.Context) error {
	for _, g := range w.surplus {
		if err := w.a.detachGroup(ctx, w.held.ID, g.ID); err != nil {
			return err
		}
	}
	if err := w.adoptGroups(ctx); err != nil {
		return err
	}
	last := w.stamp.Groups
	w.stamp.Groups = each.Of(w.groups, func(g wantedGroup) string { return g.name })
	for i := range w.groups {
		g := &w.groups[i]
		if i < len(last) {
			g.last = last[i]
		}
		attached := slices.ContainsFunc(
			w.held.OptionGroups,
			func(held optionGroup) bool { return held.ID == g.held.ID },
		)
		if err := w.writeGroup(ctx, g); err != nil {
			return step.Within("write option group", err)
		}
		if attached {
			continue
		}
		if err := w.a.call(
			ctx, attachGroupDocument, map[string]any{"product": w.held.ID, "group": g.held.ID}, nil,
		); err != nil {
			return step.Within("attach option group", err)
		}
	}
	return nil
}

// adoptGroups finds groups that were made for this publication and are not attached: an answer was
// lost, or the product had options before.
func (w *write) adoptGroups(ctx context.Context) error {
	var codes []string
	for _, g := range w.groups {
		if g.held.ID == "" {
			codes = append(codes, g.code)
		}
	}
	if len(codes) == 0 {
		return nil
	}
	found, err := w.a.groups(ctx, codes)
	if err != nil {
		return err
	}
	for i := range w.groups {
		j := slices.IndexFunc(found, func(f optionGroup) bool { return f.Code == w.groups[i].code })
		if w.groups[i].held.ID == "" && j >= 0 {
			w.groups[i].held = found[j]
		}
	}
	return nil
}

func (a *Adapter) groups(ctx context.Context, codes []string) ([]optionGroup, error) {
	var answer struct {
		Groups struct {
			Items []optionGroup `json:"items"`
		} `json:"productOptionGroups"`
	}
	err := a.call(ctx, findGroupsDocument, map[string]any{"codes": codes, "take": 100}, &answer)
	return answer.Groups.Items, step.Within("find option groups", err)
}

// writeGroup makes the group where there is none, and adds the options it lacks. Its name follows
// the supplier until the merchant gives it another.
func (w *write) writeGroup(ctx context.Context, g *wantedGroup) error {
	language := w.view.channel.Language
	if g.held.ID == "" {
		if err := w.createGroup(ctx, g); err != nil {
			return err
		}
	} else if t := rowIn(g.held.Translations, language); t == nil ||
		t.Name != g.name && (t.Name == g.last || !w.stamp.Complete()) {
		err := w.a.call(
			ctx, updateGroupDocument, map[string]any{"input": input{"id": g.held.ID, "translations": named(language, g.name)}},
			nil,
		)
		if err != nil {
			return err
		}
	}
	for _, some := range parts(g.missing(language), maxBatch) {
		if err := w.createOptions(ctx, g, some); err != nil {
			return err
		}
	}
	return nil
}

// missing are the options that the shop lacks, as inputs.
func (g wantedGroup) missing(language string) []input {
	list := []input{}
	for _, o := range g.options {
		if g.optionID(o.code) == "" {
			list = append(list, input{"code": o.code, "translations": named(language, o.name)})
		}
	}
	return list
}

// createGroup makes the group with as many of its options as fit the request.
func (w *write) createGroup(ctx context.Context, g *wantedGroup) error {
	options := g.missing(w.view.channel.Language)
	if runs := parts(options, maxBatch); len(runs) > 0 {
		options = runs[0]
	}
	var answer struct {
		Group optionGroup `json:"createProductOptionGroup"`
	}
	err := w.a.call(ctx, createGroupDocument, map[string]any{"input": input{
		"code": g.code, "translations": named(w.view.channel.Language, g.name), "options": options,
	}}, &answer)
	g.held = answer.Group
	return err
}

// createOptions makes options of one group in one request: a mutation each, since Vendure has none
// for several.
func (w *write) createOptions(ctx context.Context, g *wantedGroup, options []input) error {
	var names, calls strings.Builder
	variables := map[string]any{}
	for i, o := range options {
		fmt.Fprintf(&names, "$i%d: CreateProductOptionInput! ", i)
		fmt.Fprintf(&calls, "o%d: createProductOption(input: $i%d) { id code }\n", i, i)
		o["productOptionGroupId"] = g.held.ID
		variables[fmt.Sprintf("i%d", i)] = o
	}
	made := map[string]option{}
	document := "mutation CreateOptions(" + names.String() + ") {\n" + calls.String() + "}"
	if err := w.a.call(ctx, document, variables, &made); err != nil {
		return err
	}
	for _, o := range made {
		g.held.Options = append(g.held.Options, o)
	}
	return nil
}

func named(language, name string) []input {
	return []input{{"languageCode": language, "name": name}}
}

// tidyOptions deletes the options of our groups that no variant has any more. A shop that wants to
// keep one keeps it: the choice then shows a value without a variant, which is untidy and no more.
func (w *write) tidyOptions(ctx context.Context) error {
	for _, g := range w.groups {
		for _, o := range g.held.Options {
			if slices.ContainsFunc(g.options, func(want wantedOption) bool { return want.code == o.Code }) {
				continue
			}
			if err := lenient(w.a.call(ctx, deleteOptionDocument, map[string]any{"id": o.ID}, nil)); err != nil {
				return step.Within("delete option", err)
			}
		}
	}
	return nil
}

// detachGroup takes a group of ours off a product, and deletes it unless something else holds on to
// it. Vendure 3.7 cannot delete a group of which an option was deleted before while a deleted
// variant still points at it (the database refuses); it is then left behind, unseen, and found by
// its code when it is wanted again.
func (a *Adapter) detachGroup(ctx context.Context, product, group string) error {
	var answer struct {
		Removed result `json:"removeOptionGroupFromProduct"`
	}
	if err := a.call(ctx, detachGroupDocument, map[string]any{"product": product, "group": group}, &answer); err != nil {
		return step.Within("detach option group", err)
	}
	if err := answer.Removed.refused(); err != nil {
		return shopadapter.Reject("an option group cannot be taken off the product: %s", a.scrub(err.Error()))
	}
	return a.deleteGroup(ctx, group)
}

func (a *Adapter) deleteGroup(ctx context.Context, group string) error {
	return step.Within(
		"delete option group",
		lenient(a.call(ctx, deleteGroupDocument, map[string]any{"id": group}, nil)),
	)
}

// lenient lets an error of the shop's about this one thing pass, for what is done for tidiness
// alone. That the shop is away or refuses the account remains an error.
func lenient(err error) error {
	if e := shopadapter.Explain(err); e != nil && !e.ShopWide && hasCode(err, "") {
		return nil
	}
	return err
}
