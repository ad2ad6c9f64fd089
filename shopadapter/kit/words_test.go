package kit_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter/kit"
)

func axis(name string, values ...string) kit.Axis { return kit.Axis{Name: name, Values: values} }

func held(wants, has string) kit.Carried {
	h := kit.Carried{Has: strings.Split(has, "/")}
	if wants != "" {
		h.Wants = strings.Split(wants, "/")
	}
	return h
}

// color is what a write of Color in the supplier's words has left.
func color(values ...string) kit.Known {
	k := kit.Known{Name: "Color", Shown: "Color", Values: map[string]string{}}
	for _, v := range values {
		k.Values[v] = v
	}
	return k
}

func TestFollow(t *testing.T) {
	redBlue := []kit.Axis{axis("Color", "Red", "Blue")}
	two := []kit.Axis{axis("Color", "Red", "Blue"), axis("Size", "S", "M")}
	for _, tt := range []struct {
		name    string
		want    []kit.Axis
		known   []kit.Known
		offered []kit.Axis
		held    []kit.Carried
		result  string // the axes: name or #id, then the values in the supplier's order
		unclear string
	}{
		{"as written", redBlue, []kit.Known{color("Red", "Blue")}, redBlue, nil, "Color: Red Blue", ""},
		{"new", redBlue, []kit.Known{}, nil, nil, "Color: Red Blue", ""},
		{"a value more", redBlue, []kit.Known{color("Red")}, []kit.Axis{axis("Color", "Red")}, nil, "Color: " +
			"Red Blue", ""},
		{
			"an axis renamed", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Farbe", "Red", "Blue")},
			[]kit.Carried{held("Red", "Red"), held("Blue", "Blue")},
			"Farbe: Red Blue", "",
		},
		{
			"an axis renamed, nothing known", redBlue, nil,
			[]kit.Axis{axis("Farbe", "Red", "Blue")},
			[]kit.Carried{held("Red", "Red"), held("Blue", "Blue")},
			"Farbe: Red Blue", "",
		},
		{
			"a value renamed", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Color", "Rood", "Blue")},
			[]kit.Carried{held("Red", "Rood"), held("Blue", "Blue")},
			"Color: Rood Blue", "",
		},
		{
			"two values renamed", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Color", "Rood", "Blauw")},
			[]kit.Carried{held("Red", "Rood"), held("Blue", "Blauw")},
			"Color: Rood Blauw", "",
		},
		{
			"both axes renamed", two,
			[]kit.Known{color("Red", "Blue"), {Name: "Size", Shown: "Size", Values: map[string]string{"S": "S", "M": "M"}}},
			[]kit.Axis{axis("Maat", "S", "M"), axis("Kleur", "Red", "Blue")},
			[]kit.Carried{held("Red/S", "S/Red"), held("Blue/M", "M/Blue")},
			"", "cannot be told",
		},
		{
			"made global", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{{ID: "3", Name: "Colour", Values: []string{"Red", "Blue"}}},
			[]kit.Carried{held("Red", "Red"), held("Blue", "Blue")},
			"#3: Red Blue", "",
		},
		{
			"made global under its name", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{{ID: "3", Name: "Color", Values: []string{"Red", "Blue"}}},
			nil, "#3: Red Blue", "",
		},
		{
			"a global one renamed", redBlue,
			[]kit.Known{{Name: "Color", ID: "3", Shown: "Colour", Values: map[string]string{"Red": "Red", "Blue": "Blue"}}},
			[]kit.Axis{{ID: "3", Name: "Farbe", Values: []string{"Red", "Blue"}}},
			nil, "#3: Red Blue", "",
		},
		{
			"the supplier renames an axis",
			[]kit.Axis{axis("Kleur", "Red", "Blue")},
			[]kit.Known{color("Red", "Blue")},
			redBlue, nil,
			"Kleur: Red Blue", "",
		},
		{
			"the supplier renames a value",
			[]kit.Axis{axis("Color", "Crimson", "Blue")},
			[]kit.Known{color("Red", "Blue")},
			redBlue,
			[]kit.Carried{held("Crimson", "Red"), held("Blue", "Blue")},
			"Color: Crimson Blue", "",
		},
		{
			"an own write that was cut off",
			[]kit.Axis{axis("Color", "Crimson", "Blue")},
			nil, redBlue,
			[]kit.Carried{held("Crimson", "Crimson"), held("Blue", "Blue")},
			"Color: Crimson Blue", "",
		},
		{
			"half of the variations moved along", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Color", "Rood", "Blue")},
			[]kit.Carried{held("Red", "Rood"), held("Red", "Red"), held("Blue", "Blue")},
			"Color: Rood Blue", "",
		},
		{
			"a value of the merchant's own", redBlue,
			[]kit.Known{color("Red")},
			[]kit.Axis{axis("Color", "Red", "Gold")},
			[]kit.Carried{held("Red", "Red"), held("", "Gold")},
			"Color: Red Blue +Gold", "",
		},
		{
			"two values made one", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Color", "Any colour")},
			[]kit.Carried{held("Red", "Any colour"), held("Blue", "Any colour")},
			"", "one value «Any colour»",
		},
		{
			"one value made two", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Color", "Rood", "Roze", "Blue")},
			[]kit.Carried{held("Red", "Rood"), held("Red", "Roze"), held("Blue", "Blue")},
			"", "is «Rood» and «Roze» there",
		},
		{
			"a value renamed in the product alone", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Color", "Rood", "Blue")},
			[]kit.Carried{held("Red", "Red"), held("Blue", "Blue")},
			"", "no longer has the value «Red»",
		},
		{"an axis gone", redBlue, []kit.Known{color("Red", "Blue")}, nil, nil, "", "no longer offers «Color»"},
		{
			"an axis of the merchant's own", redBlue,
			[]kit.Known{color("Red", "Blue")},
			[]kit.Axis{axis("Color", "Red", "Blue"), axis("Gift", "Yes", "No")},
			nil, "", "«Gift»",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := kit.Follow(tt.want, tt.known, tt.offered, tt.held)
			if (err != nil) != (tt.unclear != "") || err != nil && !strings.Contains(err.Error(), tt.unclear) {
				t.Fatalf("the error is %v, want %q", err, tt.unclear)
			}
			var all []string
			for i, m := range got {
				words := []string{m.Name + ":"}
				if m.ID != "" {
					words[0] = "#" + m.ID + ":"
				}
				for _, value := range tt.want[i].Values {
					words = append(words, m.To[value])
				}
				for _, extra := range m.Extra {
					words = append(words, "+"+extra)
				}
				all = append(all, strings.Join(words, " "))
			}
			if err == nil && strings.Join(all, "; ") != tt.result {
				t.Errorf("got %q, want %q", strings.Join(all, "; "), tt.result)
			}
		})
	}
}

// What is remembered of a match finds it again, whatever the variants carry.
func TestRemembered(t *testing.T) {
	want := []kit.Axis{axis("Color", "Red", "Blue")}
	offered := []kit.Axis{{ID: "3", Name: "Colour", Values: []string{"Rood", "Blue"}}}
	first, err := kit.Follow(want, nil, offered, []kit.Carried{held("Red", "Rood"), held("Blue", "Blue")})
	if err != nil {
		t.Fatal(err)
	}
	again, err := kit.Follow(want, kit.Remember(want, first), offered, nil)
	if diff := cmp.Diff(first, again); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestOffer(t *testing.T) {
	for _, tt := range []struct{ name, order, extra, values, want string }{
		{"new", "", "", "Red Blue", "Red Blue"},
		{"one between", "S L", "", "S M L", "S M L"},
		{"an order of the merchant's", "L S", "", "S M L", "L S M"},
		{"one gone", "Red Blue Green", "", "Red Green", "Red Green"},
		{"one of the merchant's own", "Gold Red", "Gold", "Red Blue", "Red Blue Gold"},
	} {
		m := kit.Word{Order: strings.Fields(tt.order), Extra: strings.Fields(tt.extra)}
		if got := strings.Join(m.Offer(strings.Fields(tt.values)), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
