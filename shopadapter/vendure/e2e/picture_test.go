package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestABadPictureCostsThatPicture(t *testing.T) {
	const lost, page = 501, 502
	for i, row := range []struct {
		name, address string
		fails         string // the code with which the shop fails over an upload
		why           string
		again         bool // it is tried again
	}{
		{"not there", "missing?signature=hidden", "", "answered 404", false},
		{"a page", fmt.Sprint(page, ".png"), "", "neither JPEG", false},
		{"not to be had just now", fmt.Sprint(lost, ".png"), "", "answered 503", true},
		{"the shop cannot make a preview", "503.png", "INTERNAL_SERVER_ERROR", "unsupported image", true},
		{"the shop refuses it", "504.png", "USER_INPUT_ERROR", "refuses it", false},
		{"inside the retailer's network", "http://169.254.169.254/latest", "", "not a public one", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := fresh(t)
			a, p := s.open(), lamp("p", 1)
			p.Images = []string{s.pictures.Address(510 + i)}
			s.publish(a, p, shopadapter.AllFields)
			back := s.pictures.Lose(s.pictures.Address(lost))
			s.pictures.Spoil(s.pictures.Address(page))
			s.answer = func(x exchange) (*http.Response, error) {
				if row.fails == "" || x.operation != "UploadImage" {
					return x.send()
				}
				return refusal(row.fails, "unsupported image")
			}
			address := row.address
			if !strings.HasPrefix(address, "http") {
				address = strings.TrimSuffix(s.pictures.Address(0), "0.png") + address
			}
			p.Images = append(p.Images, address)
			p.Variants[0].Price = "5.00"
			l := s.publish(a, p, shopadapter.AllFields)
			if got := s.only(); len(got.Assets) != 1 || !got.Enabled || got.Variants[0].PriceWithTax != 500 {
				t.Errorf("the product is %+v", got)
			}
			if len(l.Missing) != 1 {
				t.Fatalf("missing are %+v, want one picture", l.Missing)
			}
			if m := l.Missing[0]; m.URL != address || m.Later != row.again || !strings.Contains(m.Reason, row.why) ||
				strings.Contains(m.Reason, "hidden") {
				t.Errorf("missing is %+v, want %s because of %q, later %t", m, address, row.why, row.again)
			}
			back()
			s.answer = nil
			changed := shopadapter.FieldPrice
			if row.again { // the caller asks for it
				changed = shopadapter.FieldImages
			}
			s.publish(a, p, changed)
			if got := len(s.only().Assets); (got == 2) != row.again {
				t.Errorf("after a later call the product has %d pictures", got)
			}
		})
	}
}

func TestPicturesThatTwoProductsShareAreUploadedOnce(t *testing.T) {
	s := fresh(t)
	a := s.open()
	before, err := s.Uploads(t.Context())
	s.must(err)
	var all sync.WaitGroup
	for _, id := range []shopadapter.PublicationID{"a", "b", "c", "d"} {
		all.Go(func() {
			p := lamp(id, 1)
			p.Images = []string{s.pictures.Address(601), s.pictures.Address(602), s.pictures.Address(601)}
			if _, err := a.Publish(t.Context(), shopadapter.Ref{Publication: id}, p, shopadapter.AllFields); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	after, err := s.Uploads(t.Context())
	if s.must(err); after-before != 2 {
		t.Errorf("%d uploads of 2 pictures", after-before)
	}
	products, err := s.Products(t.Context())
	s.must(err)
	for _, p := range products {
		if len(p.Assets) != 2 {
			t.Errorf("product %s has %d pictures", p.ID, len(p.Assets))
		}
	}
}
