package form

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

func TestParseSaid(t *testing.T) {
	wanted := []string{"nl", "en"}
	for text, change := range map[string]func(*Forms){
		"":                      func(*Forms) {},
		"status=SUCCESS,FAILED": func(f *Forms) { f.Success, f.Failed = "SUCCESS", "FAILED" },
		"connections=edges": func(f *Forms) {
			for kind := range f.Edges {
				f.Edges[kind] = true
			}
		},
		"sort=ID_DESC":    func(f *Forms) { f.UpdatedAtAsc = false },
		"userErrors=none": func(f *Forms) { f.NoUserErrors = true },
		"languages=en":    func(f *Forms) { f.Languages = []string{"en"} },
		" method=String\tsort=ID_DESC ": func(f *Forms) {
			f.MethodType, f.enumMethod, f.UpdatedAtAsc = "String", false, false
		},
	} {
		s, err := ParseSaid(text)
		if err != nil {
			t.Errorf("%q: got %v, want no error", text, err)
		}
		want := Assumed(wanted, Said{})
		change(&want)
		if diff := cmp.Diff(want, Assumed(wanted, s), cmp.AllowUnexported(Forms{})); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	}
	for _, text := range []string{
		"s3cret", "status=s3cret", "status=s3cret,", "status=s3cret,s3cret", "connections=s3cret", "sort=s3cret",
		"userErrors=s3cret", "languages=", "languages=s3cret,{", "method=s3cret", "sort=ID_DESC,s3cret",
		"sort=ID_DESC sort=ID_DESC", "s3cret=edges", "=", "status",
	} {
		_, err := ParseSaid(text)
		if err == nil {
			t.Errorf("%q: got no error, want one", text)
			continue
		}
		if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: got %q, which echoes the value", text, err)
		}
		for _, part := range []string{
			"status=SUCCESS,FAILED", "connections=edges", "sort=ID_DESC", "userErrors=none", "languages=en", "method=String",
		} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: got %q, want it to list %s", text, err, part)
			}
		}
	}
}

// An objection leads to what is to be set, and to nothing where the schema was read.
func TestAdvice(t *testing.T) {
	for message, want := range map[string]string{
		`Cannot query field "nodes" on type "ImageConnection".`:      "connections=edges",
		`Cannot query field "userErrors" on type "Payload".`:         "userErrors=none",
		`Value "UPDATED_AT_ASC" does not exist in "Sort" enum.`:      "sort=ID_DESC",
		`Field 'nl' doesn't exist on type 'Translations'`:            "languages=en",
		`String cannot represent a non string value: FIT`:            "method=String",
		`Variable "$in" got invalid value "success" at "in.status".`: "status=SUCCESS,FAILED",
		`Cannot query field "brand" on type "Product".`:              "PUBSYNC_PRODUCT_DETAILS=off",
		`Cannot query field "originalUrl" on type "Image".`:          "PUBSYNC_IMAGE_METHOD=FILL",
		`Something else`: "",
	} {
		said := fault.ObjectionOf([]fault.Complaint{{Message: message}}, false)
		f := Assumed([]string{"en", "nl"}, Said{})
		if got := f.Advice(said); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: got %q, want %q", message, got, want)
		}
		f.Introspected = true
		if got := f.Advice(said); got != "" {
			t.Errorf("%s: got %q of a schema that was read, want nothing", message, got)
		}
	}
}
