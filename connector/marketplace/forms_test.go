package marketplace

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/internal/form"
)

// objections are errors that name a form, by what they are about.
var objections = map[string]string{
	"status":          `Variable "$in0" got invalid value "success" at "in0.status"; success is not a valid status`,
	"status in brief": `success is not a valid status`,
	"userErrors":      `Cannot query field "userErrors" on type "PublicationStatusUpdatedPayload".`,
	"language":        `Cannot query field "en" on type "Translations".`,
	"both languages":  `Cannot query field "en" on type "Translations". Cannot query field "nl" on type "Translations".`,
	"id":              `Variable "$id" of type "ID!" used in position expecting type "String!".`,
	"method":          `Argument "method" has an invalid value FILL`,
	"sort":            `Value "UPDATED_AT_ASC" does not exist in "PublicationSort" enum. Field sort`,
	"nodes":           `Cannot query field "nodes" on type "PublicationConnection".`,
}

// objecting answers like a server of the specification's schema, but objects to what pick picks.
func objecting(t *testing.T, introspection bool, pick func(n int, s sent) (complaint string)) *fakeWire {
	t.Helper()
	w := validating(
		choice{
			id:          "ID",
			status:      "String",
			event:       "String",
			method:      "ImageMethod",
			sorted:      true,
			connections: "both",
		}.schema(t),
		introspection,
	)
	answer := w.answer
	w.answer = func(n int, s sent) (int, string) {
		if complaint := pick(n, s); complaint != "" {
			return 200, fmt.Sprintf(`{"errors":[{"message":%q}],%s}`, complaint, throttled(0, 0, 1000))
		}
		return answer(n, s)
	}
	return w
}

// calls are the requests whose forms are open, by name.
func calls(t *testing.T, c *Client) map[string]func() error {
	return map[string]func() error{
		"Content": func() error {
			_, err := read1(t, c, 0)
			return err
		},
		"List": func() error {
			_, err := c.List(t.Context(), Urgent, UpdatedAtAsc, "")
			return err
		},
		"Report": func() error {
			results, err := c.Report(t.Context(), Urgent, []Report{{ID: "1", Status: "success"}})
			if err == nil {
				err = results[0].Err
			}
			return err
		},
	}
}

// formsOf is what c makes documents of.
func formsOf(c *Client) Forms {
	forms, _ := c.conn.Forms.Now()
	return forms
}

func count(w *fakeWire, operation string) (n int) {
	for _, name := range w.operations() {
		if name == operation {
			n++
		}
	}
	return n
}

// TestOneObjectionChangesNoForm has each request refused once, in the words of each objection.
func TestOneObjectionChangesNoForm(t *testing.T) {
	for _, introspection := range []bool{true, false} {
		for about, complaint := range objections {
			for _, name := range []string{"Content", "List", "Report"} {
				t.Run(fmt.Sprintf("%s, %s, introspection %t", name, about, introspection), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						objected := false
						w := objecting(t, introspection, func(_ int, s sent) string {
							if s.OperationName != name || objected {
								return ""
							}
							objected = true
							return complaint
						})
						c := connect(t, w)
						if _, err := c.Probe(t.Context()); err != nil {
							t.Fatal(err)
						}
						before := formsOf(c)
						if err := calls(t, c)[name](); err != nil && KindOf(err) != Invalid {
							t.Errorf("the objection is %v", err)
						}
						for other, call := range calls(t, c) {
							if err := call(); err != nil {
								t.Errorf("%s afterwards: %v", other, err)
							}
						}
						if after := formsOf(c); !after.Equal(before) {
							t.Errorf("the forms were %v and are %v", before, after)
						}
						if n := count(w, "Probe"); introspection && n != 2 {
							t.Errorf("%d introspections, want another one to find out", n)
						}
					})
				})
			}
		}
	}
}

// TestWhatIntrospectionSaidStands has a server that objects to its own schema for an hour: every
// call fails, and none leads to another form.
func TestWhatIntrospectionSaidStands(t *testing.T) {
	for about, complaint := range objections {
		t.Run(about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				objects := true
				w := objecting(t, true, func(_ int, s sent) string {
					if objects &&
						(s.OperationName == "Content" || s.OperationName == "List" || s.OperationName == "Report") {
						return complaint
					}
					return ""
				})
				c := connect(t, w)
				if _, err := c.Probe(t.Context()); err != nil {
					t.Fatal(err)
				}
				before := formsOf(c)
				for range 60 {
					for name, call := range calls(t, c) {
						if err := call(); KindOf(err) != Invalid {
							t.Fatalf("%s: %v; KindOf(err): got %v, want %v", name, err, KindOf(err), Invalid)
						}
					}
					time.Sleep(time.Minute)
				}
				if after := formsOf(c); !after.Equal(before) {
					t.Errorf("the forms were %v and are %v", before, after)
				}
				switch n := count(w, "Probe"); {
				case n < 6:
					t.Errorf("%d introspections in an hour, want one in ten minutes; n: got %v, want at least %v", n, n, 6)
				case n > 8:
					t.Errorf("%d introspections in an hour, want one in ten minutes; n: got %v, want at most %v", n, n, 8)
				}
				objects = false
				for name, call := range calls(t, c) {
					if err := call(); err != nil {
						t.Errorf("%s afterwards: %v", name, err)
					}
				}
			})
		})
	}
}

// TestANewIntrospectionIsBelieved lets the schema change while the worker runs: the call that finds
// out is answered.
func TestANewIntrospectionIsBelieved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := choice{
			id:          "ID",
			status:      "String",
			event:       "String",
			method:      "ImageMethod",
			sorted:      true,
			connections: "both",
		}
		after := choice{
			id:          "String",
			status:      "UpperStatus",
			event:       "String",
			method:      "String",
			sorted:      false,
			connections: "edges",
		}
		w := validating(before.schema(t), true)
		c := connect(t, w)
		for name, call := range calls(t, c) {
			if err := call(); err != nil {
				t.Errorf("%s before: %v", name, err)
			}
		}
		w.answer = validating(after.schema(t), true).answer
		if err := calls(t, c)["Content"](); err != nil {
			t.Errorf("content: %v", err)
		}
		if err := calls(t, c)["Report"](); err != nil {
			t.Errorf("report: %v", err)
		}
		switch forms := formsOf(c); {
		case forms.IDType != "String":
			t.Errorf("forms are %v; forms.IDType: got %q, want %q", forms, forms.IDType, "String")
		case forms.Success != "SUCCESS":
			t.Errorf("forms are %v; forms.Success: got %q, want %q", forms, forms.Success, "SUCCESS")
		case forms.UpdatedAtAsc:
			t.Errorf("forms are %v; forms.UpdatedAtAsc: got true, want false", forms)
		}
		w.answer = validating(after.schema(t), false).answer // it refuses introspection from now on
		time.Sleep(2 * form.FormsKept)
		switch err := calls(t, c)["Content"](); {
		case err != nil:
			t.Errorf("what introspection said was given up: %v, %v; err: got %v, want nil", formsOf(c), err, err)
		case !formsOf(c).Introspected:
			t.Errorf(
				"what introspection said was given up: %v, %v; formsOf(c).Introspected: got false, want true", formsOf(c),
				err,
			)
		}
	})
}

// TestAnotherFormIsProven has a server that refuses introspection and takes another form. An hour
// later the specification's is tried again.
func TestAnotherFormIsProven(t *testing.T) {
	for _, row := range []struct {
		name  string
		c     choice
		call  string
		given func(Forms) bool
	}{
		{
			"id",
			choice{id: "String", status: "String", event: "String", method: "ImageMethod", sorted: true, connections: "both"},
			"Content",
			func(f Forms) bool { return f.IDType == "String" },
		},
		{
			"method",
			choice{id: "ID", status: "String", event: "String", method: "String", sorted: true, connections: "both"},
			"Content",
			func(f Forms) bool { return f.MethodType == "String" },
		},
		{
			"nodes",
			choice{id: "ID", status: "String", event: "String", method: "ImageMethod", sorted: true, connections: "edges"},
			"Content",
			func(f Forms) bool { return f.Edges["variant"] && f.Edges["image"] },
		},
		{
			"status",
			choice{id: "ID", status: "UpperStatus", event: "String", method: "ImageMethod", sorted: true, connections: "both"},
			"Report",
			func(f Forms) bool { return f.Success == "SUCCESS" },
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := validating(row.c.schema(t), false)
				c := connect(t, w)
				err := calls(t, c)[row.call]()
				if row.call == "Report" { // the next one asks for the form in use again
					switch {
					case err != nil:
						t.Errorf("the first report: %v, %v; err: got %v, want nil", err, formsOf(c), err)
					case row.given(formsOf(c)):
						t.Errorf("the first report: %v, %v; row.given(formsOf(c)): got true, want false", err, formsOf(c))
					}
					err = calls(t, c)[row.call]()
				}
				switch {
				case err != nil:
					t.Errorf("%v, %v; err: got %v, want nil", err, formsOf(c), err)
				case !row.given(formsOf(c)):
					t.Errorf("%v, %v; row.given(formsOf(c)): got false, want true", err, formsOf(c))
				}
				w.answer = validating(choice{
					id: "ID", status: "String", event: "String", method: "ImageMethod", sorted: true, connections: "both",
				}.schema(t), false).answer
				time.Sleep(form.FormsKept)
				switch err := calls(t, c)[row.call](); {
				case err != nil:
					t.Errorf("after an hour: %v, %v; err: got %v, want nil", err, formsOf(c), err)
				case row.given(formsOf(c)):
					t.Errorf("after an hour: %v, %v; row.given(formsOf(c)): got true, want false", err, formsOf(c))
				}
			})
		})
	}
}

// TestAFormIsNotGivenUpWhereNothingSucceeds has a server that answers every request with the same
// objection.
func TestAFormIsNotGivenUpWhereNothingSucceeds(t *testing.T) {
	for about, complaint := range objections {
		t.Run(about, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, objecting(t, false, func(int, sent) string { return complaint }))
				before := formsOf(c)
				for range 10 {
					if err := calls(t, c)["Content"](); KindOf(err) != Invalid {
						t.Errorf("%v; KindOf(err): got %v, want %v", err, KindOf(err), Invalid)
					}
					time.Sleep(time.Minute)
				}
				if after := formsOf(c); !after.Equal(before) {
					t.Errorf("the forms were %v and are %v", before, after)
				}
			})
		})
	}
}

// TestTheLastLanguageIsNeverGivenUp has a server that objects to every reading, in the name of both
// languages and of one after the other.
func TestTheLastLanguageIsNeverGivenUp(t *testing.T) {
	for _, row := range []struct {
		name      string
		objection func(query string) string
		want      string
	}{
		{"both at once", func(string) string { return objections["both languages"] }, "en nl"},
		{"one after the other", func(query string) string {
			for _, language := range []string{"en", "nl"} {
				if strings.Contains(query, language+"{") {
					return fmt.Sprintf("Cannot query field %q on type \"Translations\".", language)
				}
			}
			return ""
		}, "en nl"}, // since no reading succeeded with nl alone
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := known(t, objecting(t, false, func(_ int, s sent) string {
					if s.OperationName != "Content" {
						return ""
					}
					return row.objection(s.Query)
				}))
				for range 5 {
					if err := calls(t, c)["Content"](); KindOf(err) != Invalid {
						t.Errorf("%v; KindOf(err): got %v, want %v", err, KindOf(err), Invalid)
					}
					time.Sleep(time.Minute)
				}
				if got := strings.Join(formsOf(c).Languages, " "); got != row.want {
					t.Errorf("languages %q are asked for, want %q", got, row.want)
				}
			})
		})
	}
}

// TestTwoStrayObjectionsOfADay are two, each followed by an answer to the same document: they count
// as one each.
func TestTwoStrayObjectionsOfADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		objects := false
		c := known(t, objecting(t, false, func(_ int, s sent) string {
			if objects && s.OperationName == "Report" {
				return objections["status"]
			}
			return ""
		}))
		before := formsOf(c)
		for range 10 {
			objects = true
			if err := calls(t, c)["Report"](); KindOf(err) != Invalid {
				t.Errorf("%v; KindOf(err): got %v, want %v", err, KindOf(err), Invalid)
			}
			objects = false
			for name, call := range calls(t, c) {
				if err := call(); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			time.Sleep(time.Minute)
		}
		if after := formsOf(c); !after.Equal(before) {
			t.Errorf("the forms were %v and are %v", before, after)
		}
	})
}
