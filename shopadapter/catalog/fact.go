package catalog

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// facts are a variant's EAN and details in words, in the order in which they are shown. The
// marketplace's own words stand as they are.
func (r *record) facts(v *shopadapter.Variant) []fact {
	weight, length := "\u00a0"+r.Stamp.Units.Weight, "\u00a0"+r.Stamp.Units.Length
	list := []fact{{"EAN", v.EAN}, measure("Weight", v.Weight, weight)}
	if v.Length != "" && v.Width != "" && v.Height != "" {
		size := strings.Join([]string{v.Length, v.Width, v.Height}, "\u00a0×\u00a0")
		list = append(list, measure("Size (L\u00a0×\u00a0W\u00a0×\u00a0H)", size, length))
	} else {
		list = append(
			list, measure("Length", v.Length, length), measure("Width", v.Width, length),
			measure("Height", v.Height, length),
		)
	}
	list = append(
		list, measure("Diameter", v.Diameter, length), fact{"Volume", v.Volume},
		fact{"Material", strings.Join(v.Materials, ", ")}, fact{"Country of origin", v.Origin}, fact{"Lead time", v.LeadTime},
		fact{"Units per case", v.CaseQuantity}, fact{"Features", strings.Join(v.Tags, ", ")},
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
func (r *record) from(variants []shopadapter.Variant) string {
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
		first = day.Format("2 January 2006")
	}
	return "Available from " + first
}

// maker is the brand as a fact.
func (r *record) maker() []fact {
	if r.Brand == "" {
		return nil
	}
	return []fact{{"Brand", r.Brand}}
}

// nameOf is what a variant is called beside its product.
func nameOf(v shopadapter.Variant) string { return cmp.Or(v.Title, v.SKU, v.ID) }
