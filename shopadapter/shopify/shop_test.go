package shopify_test

import (
	"net/http"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// TestAKeyTypedByHand into a product of the merchant's, in other letters: that product is neither
// written over nor withdrawn.
func TestAKeyTypedByHand(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("lamp-1", 1)
	if _, err := a.Unpublish(t.Context(), shopadapter.Ref{Publication: "none"}, shopadapter.Delete); err != nil {
		t.Fatal(err)
	}
	if _, err := fake.addForeign(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	fake.products[0].metafields["pubsync.publication"] = "LAMP-1"
	fake.products[0].title = "Mine"
	_, err := a.Publish(t.Context(), shopadapter.Ref{Publication: p.ID}, p, shopadapter.AllFields)
	fails(t, err, shopadapter.Blocked, "")
	for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
		if _, err := a.Unpublish(
			t.Context(), shopadapter.Ref{Publication: p.ID, Listing: "gid://shopify/Product/1"}, how,
		); err != nil {
			t.Errorf("unpublish: %v", err)
		}
	}
	if got := fake.sole(t); got.title != "Mine" || !got.onSale() {
		t.Errorf("the merchant's product is %+v", got)
	}
}

// TestWhatIsDeletedMeanwhile is no error of an Unpublish; what the shop will not delete is.
func TestWhatIsDeletedMeanwhile(t *testing.T) {
	for _, how := range []shopadapter.Removal{shopadapter.TakeOffline, shopadapter.Delete} {
		fake, a, ref, _ := published(t, 1)
		all := fake.products
		fake.answer = func(operation string) *http.Response {
			if operation == "Withdraw" || operation == "Delete" {
				fake.products = nil
			}
			return nil
		}
		if _, err := a.Unpublish(t.Context(), ref, how); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		fake.products = all
		fake.answer = func(operation string) *http.Response {
			if operation == "Find" {
				return nil
			}
			return respond(
				http.StatusOK,
				`{"data":{"update":{"userErrors":[{"message":"no"}]},"productDelete":{"userErrors":[{"message":"no"}]}}}`,
				nil,
			)
		}
		if _, err := a.Unpublish(t.Context(), ref, how); err == nil {
			t.Errorf("%s: a refusal is no error", how)
		}
	}
}

// TestADamagedStamp leaves the product ours, and its texts as they are.
func TestADamagedStamp(t *testing.T) {
	for _, damage := range []string{"", "{", "[]", `{"v":99,"id":"p"}`} {
		t.Run(damage, func(t *testing.T) {
			fake, a, ref, p := published(t, 2)
			fake.products[0].metafields["pubsync.stamp"] = damage
			p.Title, p.Variants[0].Price = "Another title", "5.00"
			_, l := publish(t, a, ref, p, shopadapter.AllFields)
			if got := fake.sole(t); l.Kept != shopadapter.FieldTitle || got.title == "Another title" ||
				got.variants[0].price != "5.00" {
				t.Errorf("kept %s, the title is %q, the price %s", l.Kept, got.title, got.variants[0].price)
			}
			ref.Reset = shopadapter.FieldTitle
			if _, l = publish(t, a, ref, p, shopadapter.NoFields); l.Kept != 0 || fake.sole(t).title != "Another title" {
				t.Errorf("given back: kept %s, the title is %q", l.Kept, fake.sole(t).title)
			}
		})
	}
}
