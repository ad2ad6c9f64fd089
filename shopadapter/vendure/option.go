package vendure

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

// A wantedGroup is an option group to have. Its code comes from the publication and the option's place, so it is
// found after a lost answer and when the option is renamed.
type wantedGroup struct {
	code string
	kit.Axis
	held optionGroup // in the shop; ID "" until it is made
}

const maxGroups = 20

func groupPrefix(key string) string { return "pubsync-" + kit.Digest(key, 8) + "-" }

func groupCode(key string, place int) string { return groupPrefix(key) + strconv.Itoa(place+1) }

// optionCode depends on the supplier's value only, so the merchant may rename the option.
func optionCode(value string) string {
	readable := strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r)) {
			return unicode.ToLower(r)
		}
		return '-'
	}, value)
	readable = strings.Trim(readable, "-")
	readable = readable[:min(len(readable), 40)]
	return strings.TrimPrefix(readable+"-"+kit.Digest(value, 4), "-")
}

func (g wantedGroup) optionID(value string) string {
	code := optionCode(value)
	for _, o := range g.held.Options {
		if o.Code == code {
			return o.ID
		}
	}
	return ""
}

func (w *write) optionIDs(v kit.Wanted[variant]) []string {
	ids := make([]string, 0, len(w.groups))
	for i, g := range w.groups {
		ids = append(ids, g.optionID(v.Values[i]))
	}
	return ids
}

func hasAll(held []node, want []string) bool {
	return !slices.ContainsFunc(want, func(id string) bool { return !slices.Contains(held, node{ID: id}) })
}

// planOptions pairs the wanted groups with the product's, and collects ours that are not wanted. If gap is true, a
// group comes or goes and variants lack an option meanwhile. A merchant's group blocks changes of the variants.
func (w *write) planOptions() (gap bool, err error) {
	for _, held := range w.held.OptionGroups {
		i := slices.IndexFunc(w.groups, func(g wantedGroup) bool { return g.code == held.Code })
		switch {
		case i >= 0 && w.groups[i].held.ID == "":
			w.groups[i].held = held
		case i >= 0, strings.HasPrefix(held.Code, groupPrefix(w.key)):
			w.unneeded = append(w.unneeded, held)
		default:
			w.foreign = held.Code
		}
	}
	gap = len(w.unneeded) > 0 || slices.ContainsFunc(w.groups, func(g wantedGroup) bool { return g.held.ID == "" })
	other := func(v kit.Wanted[variant]) bool { return v.Held == nil || !hasAll(v.Held.Options, w.optionIDs(v)) }
	if w.foreign != "" && (gap || slices.ContainsFunc(w.wanted, other)) {
		return gap, shopadapter.Block("the product %s has the option group %q, which was added by hand: take it off the "+
			"product, since every variant needs an option of each group", w.held.ID, w.a.wire.Clean(w.foreign))
	}
	return gap, nil
}

// writeOptions writes groups and options. Unwanted options wait for tidyOptions.
func (w *write) writeOptions(ctx context.Context) error {
	for _, g := range w.unneeded {
		if err := w.a.detachGroup(ctx, w.held.ID, g.ID); err != nil {
			return err
		}
	}
	if err := w.adoptGroups(ctx); err != nil {
		return err
	}
	last := w.note.Groups
	w.note.Groups = nil
	for i := range w.groups {
		g := &w.groups[i]
		before := "" // the supplier's name at the last write
		if i < len(last) {
			before = last[i]
		}
		w.note.Groups = append(w.note.Groups, g.Name)
		attached := slices.ContainsFunc(w.held.OptionGroups, func(held optionGroup) bool { return held.ID == g.held.ID })
		if err := w.writeGroup(ctx, g, before, attached && w.note.complete()); err != nil {
			return err
		}
		if attached {
			continue
		}
		err := w.a.call(ctx, attachGroupDocument, input{"product": w.held.ID, "group": g.held.ID}, nil)
		if err != nil {
			return err
		}
	}
	return nil
}

// adoptGroups finds groups of this publication that are not attached: an answer was lost, or the product had
// options before.
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
	found, err := w.a.findGroups(ctx, codes)
	if err != nil {
		return err
	}
	for _, held := range found {
		i := slices.IndexFunc(w.groups, func(g wantedGroup) bool { return g.code == held.Code })
		if i >= 0 && w.groups[i].held.ID == "" {
			w.groups[i].held = held
		}
	}
	return nil
}

func (a *Adapter) findGroups(ctx context.Context, codes []string) ([]optionGroup, error) {
	var answer struct{ ProductOptionGroups list[optionGroup] }
	err := a.call(ctx, findGroupsDocument, input{"codes": codes}, &answer)
	unasked := func(g optionGroup) bool { return !slices.Contains(codes, g.Code) }
	return slices.DeleteFunc(answer.ProductOptionGroups.Items, unasked), err
}

// writeGroup makes the group and its missing options. Its name follows the supplier until the merchant renames it,
// which cannot be before it was shown.
func (w *write) writeGroup(ctx context.Context, g *wantedGroup, before string, shown bool) error {
	language := w.view.Channel.Language
	lacks := func() (options []input) {
		options = []input{}
		for _, value := range g.Values {
			if g.optionID(value) == "" {
				options = append(options, input{"code": optionCode(value), "translations": named(language, value)})
			}
		}
		return options
	}
	if g.held.ID == "" {
		options := lacks()
		if runs := parts(options, maxBatch); len(runs) > 0 {
			options = runs[0]
		}
		var answer struct{ CreateProductOptionGroup optionGroup }
		err := w.a.call(ctx, createGroupDocument, input{"input": input{
			"code": g.code, "translations": named(language, g.Name), "options": options,
		}}, &answer)
		if err != nil {
			return err
		}
		g.held = answer.CreateProductOptionGroup
	} else if t := rowIn(g.held.Translations, language); t == nil ||
		t.Name != g.Name && (t.Name == before || !shown) {
		change := input{"id": g.held.ID, "translations": named(language, g.Name)}
		if err := w.a.call(ctx, updateGroupDocument, input{"input": change}, nil); err != nil {
			return err
		}
	}
	for _, some := range parts(lacks(), maxBatch) {
		if err := w.createOptions(ctx, g, some); err != nil {
			return err
		}
	}
	return nil
}

// createOptions sends a mutation for each option in one request: Vendure has none for several.
func (w *write) createOptions(ctx context.Context, g *wantedGroup, options []input) error {
	var names, calls strings.Builder
	variables := input{}
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

// tidyOptions deletes our options without variants. The shop may refuse: a value without a variant is merely
// untidy.
func (w *write) tidyOptions(ctx context.Context) error {
	for _, g := range w.groups {
		wanted := map[string]bool{}
		for _, value := range g.Values {
			wanted[optionCode(value)] = true
		}
		for _, o := range g.held.Options {
			if wanted[o.Code] {
				continue
			}
			if err := lenient(w.a.call(ctx, deleteOptionDocument, input{"id": o.ID}, nil)); err != nil {
				return err
			}
		}
	}
	return nil
}

// detachGroup takes our group off a product and tries to delete it. Vendure 3.7 cannot delete a group while a deleted
// variant points at a deleted option of it: the database refuses. The group then stays unseen until its code is
// wanted again.
func (a *Adapter) detachGroup(ctx context.Context, product, group string) error {
	var answer struct{ RemoveOptionGroupFromProduct result }
	if err := a.call(ctx, detachGroupDocument, input{"product": product, "group": group}, &answer); err != nil {
		return err
	}
	if err := answer.RemoveOptionGroupFromProduct.refused(); err != nil {
		return shopadapter.Reject("an option group cannot be taken off the product: %s", a.wire.Clean(err.Error()))
	}
	return a.deleteGroup(ctx, group)
}

func (a *Adapter) deleteGroup(ctx context.Context, group string) error {
	return lenient(a.call(ctx, deleteGroupDocument, input{"id": group}, nil))
}
