package choice_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter/internal/choice"
)

func axis(name string, values ...string) choice.Axis { return choice.Axis{Name: name, Values: values} }

func held(wants, has string) choice.Held {
	h := choice.Held{Has: strings.Split(has, "/")}
	if wants != "" {
		h.Wants = strings.Split(wants, "/")
	}
	return h
}

// color is what a write of Color in the supplier's words has left.
func color(values ...string) choice.Known {
	k := choice.Known{Name: "Color", Values: map[string]string{}}
	for _, v := range values {
		k.Values[v] = ""
	}
	return k
}

func TestFollow(t *testing.T) {
	redBlue := []choice.Axis{axis("Color", "Red", "Blue")}
	two := []choice.Axis{axis("Color", "Red", "Blue"), axis("Size", "S", "M")}
	for _, tt := range []struct {
		name    string
		want    []choice.Axis
		known   []choice.Known
		offered []choice.Axis
		held    []choice.Held
		result  string // the axes: name or #id, then the values in the supplier's order
		unclear string
	}{
		{"as written", redBlue, []choice.Known{color("Red", "Blue")}, redBlue, nil, "Color: Red Blue", ""},
		{"new", redBlue, []choice.Known{}, nil, nil, "Color: Red Blue", ""},
		{"a value more", redBlue, []choice.Known{color("Red")}, []choice.Axis{axis("Color", "Red")}, nil, "Color: " +
			"Red Blue", ""},
		{
			"an axis renamed", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Farbe", "Red", "Blue")},
			[]choice.Held{held("Red", "Red"), held("Blue", "Blue")},
			"Farbe: Red Blue", "",
		},
		{
			"an axis renamed, nothing known", redBlue, nil,
			[]choice.Axis{axis("Farbe", "Red", "Blue")},
			[]choice.Held{held("Red", "Red"), held("Blue", "Blue")},
			"Farbe: Red Blue", "",
		},
		{
			"a value renamed", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Color", "Rood", "Blue")},
			[]choice.Held{held("Red", "Rood"), held("Blue", "Blue")},
			"Color: Rood Blue", "",
		},
		{
			"two values renamed", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Color", "Rood", "Blauw")},
			[]choice.Held{held("Red", "Rood"), held("Blue", "Blauw")},
			"Color: Rood Blauw", "",
		},
		{
			"both axes renamed", two,
			[]choice.Known{color("Red", "Blue"), {Name: "Size", Values: map[string]string{"S": "", "M": ""}}},
			[]choice.Axis{axis("Maat", "S", "M"), axis("Kleur", "Red", "Blue")},
			[]choice.Held{held("Red/S", "S/Red"), held("Blue/M", "M/Blue")},
			"Kleur: Red Blue; Maat: S M", "",
		},
		{
			"both axes and all values renamed", two, nil,
			[]choice.Axis{axis("Maat", "1", "2"), axis("Kleur", "A", "B")},
			[]choice.Held{held("Red/S", "1/A"), held("Blue/M", "2/B")},
			"", "cannot be told",
		},
		{
			"both axes and all values renamed, told apart by the variants", two, nil,
			[]choice.Axis{axis("Maat", "1", "2"), axis("Kleur", "A", "B")},
			[]choice.Held{held("Red/S", "1/A"), held("Blue/S", "1/B"), held("Red/M", "2/A")},
			"Kleur: A B; Maat: 1 2", "",
		},
		{
			"made global", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{{ID: "3", Name: "Colour", Values: []string{"Red", "Blue"}}},
			[]choice.Held{held("Red", "Red"), held("Blue", "Blue")},
			"#3: Red Blue", "",
		},
		{
			"made global under its name", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{{ID: "3", Name: "Color", Values: []string{"Red", "Blue"}}},
			nil, "#3: Red Blue", "",
		},
		{
			"a global one renamed", redBlue,
			[]choice.Known{{Name: "Color", ID: "3", Shown: "Colour", Values: map[string]string{"Red": "", "Blue": ""}}},
			[]choice.Axis{{ID: "3", Name: "Farbe", Values: []string{"Red", "Blue"}}},
			nil, "#3: Red Blue", "",
		},
		{
			"the supplier renames an axis",
			[]choice.Axis{axis("Kleur", "Red", "Blue")},
			[]choice.Known{color("Red", "Blue")},
			redBlue, nil,
			"Kleur: Red Blue", "",
		},
		{
			"the supplier renames one that the merchant renamed",
			[]choice.Axis{axis("Kleur", "Red", "Blue")},
			[]choice.Known{{Name: "Color", Shown: "Farbe", Values: map[string]string{"Red": "Rot", "Blue": ""}}},
			[]choice.Axis{axis("Farbe", "Rot", "Blue")},
			nil, "Farbe: Rot Blue", "",
		},
		{
			"the supplier renames a value",
			[]choice.Axis{axis("Color", "Crimson", "Blue")},
			[]choice.Known{color("Red", "Blue")},
			redBlue,
			[]choice.Held{held("Crimson", "Red"), held("Blue", "Blue")},
			"Color: Crimson Blue", "",
		},
		{
			"an own write that was cut off",
			[]choice.Axis{axis("Color", "Crimson", "Blue")},
			nil, redBlue,
			[]choice.Held{held("Crimson", "Crimson"), held("Blue", "Blue")},
			"Color: Crimson Blue", "",
		},
		{
			"half of the variations moved along", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Color", "Rood", "Blue")},
			[]choice.Held{held("Red", "Rood"), held("Red", "Red"), held("Blue", "Blue")},
			"Color: Rood Blue", "",
		},
		{
			"a value of the merchant's own", redBlue,
			[]choice.Known{color("Red")},
			[]choice.Axis{axis("Color", "Red", "Gold")},
			[]choice.Held{held("Red", "Red"), held("", "Gold")},
			"Color: Red Blue +Gold", "",
		},
		{
			"two values made one", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Color", "Any colour")},
			[]choice.Held{held("Red", "Any colour"), held("Blue", "Any colour")},
			"", "one value «Any colour»",
		},
		{
			"one value made two", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Color", "Rood", "Roze", "Blue")},
			[]choice.Held{held("Red", "Rood"), held("Red", "Roze"), held("Blue", "Blue")},
			"", "is «Rood» and «Roze» there",
		},
		{
			"a value renamed in the product alone", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Color", "Rood", "Blue")},
			[]choice.Held{held("Red", "Red"), held("Blue", "Blue")},
			"", "no longer has the value «Red»",
		},
		{"an axis gone", redBlue, []choice.Known{color("Red", "Blue")}, nil, nil, "", "no longer offers «Color»"},
		{
			"an axis of the merchant's own", redBlue,
			[]choice.Known{color("Red", "Blue")},
			[]choice.Axis{axis("Color", "Red", "Blue"), axis("Gift", "Yes", "No")},
			nil, "", "«Gift»",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := choice.Follow(
				tt.want,
				tt.known,
				tt.offered,
				func() ([]choice.Held, error) { return tt.held, nil },
			)
			var unclear *choice.Unclear
			if errors.As(err, &unclear) != (tt.unclear != "") ||
				err != nil && !strings.Contains(err.Error(), tt.unclear) {
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

// What is remembered of a match finds it again without a look at the variations.
func TestRemembered(t *testing.T) {
	want := []choice.Axis{axis("Color", "Red", "Blue")}
	offered := []choice.Axis{{ID: "3", Name: "Colour", Values: []string{"Rood", "Blue"}}}
	first, err := choice.Follow(want, nil, offered, func() ([]choice.Held, error) {
		return []choice.Held{held("Red", "Rood"), held("Blue", "Blue")}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	again, err := choice.Follow(want, choice.Remember(want, first), offered, func() ([]choice.Held, error) {
		return nil, errors.New("the variations were read")
	})
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
		m := choice.Match{Order: strings.Fields(tt.order), Extra: strings.Fields(tt.extra)}
		if got := strings.Join(m.Offer(strings.Fields(tt.values)), " "); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
