package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// facts are a variant's EAN and details in words, in the order in which they are shown. The
// marketplace's own words stand as they are.
func (r *record) facts(w words, v *shopadapter.Variant) []fact {
	weight, length := "\u00a0"+r.Stamp.Units.Weight, "\u00a0"+r.Stamp.Units.Length
	list := []fact{{"EAN", v.EAN}, measure(w.Weight, v.Weight, weight)}
	if v.Length != "" && v.Width != "" && v.Height != "" {
		size := strings.Join([]string{v.Length, v.Width, v.Height}, "\u00a0×\u00a0")
		list = append(list, measure(w.Size, size, length))
	} else {
		list = append(
			list, measure(w.Length, v.Length, length), measure(w.Width, v.Width, length),
			measure(w.Height, v.Height, length),
		)
	}
	list = append(
		list, measure(w.Diameter, v.Diameter, length), fact{w.Volume, v.Volume},
		fact{w.Materials, strings.Join(v.Materials, ", ")}, fact{w.Origin, v.Origin}, fact{w.LeadTime, v.LeadTime},
		fact{w.CaseQuantity, v.CaseQuantity}, fact{w.Tags, strings.Join(v.Tags, ", ")},
	)
	return slices.DeleteFunc(list, func(f fact) bool { return f.Value == "" })
}

// measure is a figure with its unit.
func measure(name, figure, unit string) fact {
	if figure == "" {
		return fact{}
	}
	return fact{name, strings.TrimRight(figure+unit, "\u00a0")}
}

// shared parts the variants' facts: those that are the same for all of them, and the names of the
// others.
func shared(variants [][]fact) (common []fact, differing []string) {
	held := map[fact]int{}
	for _, facts := range variants {
		for _, f := range facts {
			held[f]++
		}
	}
	for i, facts := range variants {
		for _, f := range facts {
			switch {
			case held[f] < len(variants):
				if !slices.Contains(differing, f.Name) {
					differing = append(differing, f.Name)
				}
			case i == 0:
				common = append(common, f)
			}
		}
	}
	return common, differing
}

// valueOf is the value of the fact with this name, "" where there is none.
func valueOf(facts []fact, name string) string {
	i := slices.IndexFunc(facts, func(f fact) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	return facts[i].Value
}

// from is from when a customer can have one of the variants, in words; "" where there is one that
// can be had already.
func (r *record) from(w words, variants []shopadapter.Variant) string {
	first := ""
	for _, v := range variants {
		if !slices.Contains(r.Stamp.Later, v.ID) || v.AvailableAt == "" {
			return ""
		}
		if first == "" || v.AvailableAt < first {
			first = v.AvailableAt
		}
	}
	if first == "" {
		return ""
	}
	if day, err := time.Parse(time.DateOnly, first); err == nil {
		first = day.Format(w.Date)
	}
	return fmt.Sprintf(w.Available, first)
}

// maker is the brand as a fact.
func (r *record) maker(w words) []fact {
	if r.Brand == "" {
		return nil
	}
	return []fact{{w.Brand, r.Brand}}
}

// nameOf is what a variant is called beside its product.
func nameOf(v shopadapter.Variant) string { return cmp.Or(v.Title, v.SKU, v.ID) }
