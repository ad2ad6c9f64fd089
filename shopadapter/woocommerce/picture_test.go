package woocommerce

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func pictureURL(n int) string {
	return fmt.Sprintf("https://cdn.example.com/pictures/lamp%%20%d.jpg?w=1200", n)
}

func pictureURLs(numbers ...int) []string {
	list := make([]string, len(numbers))
	for i, n := range numbers {
		list[i] = pictureURL(n)
	}
	return list
}

func TestPictures(t *testing.T) {
	for _, lost := range []bool{false, true} {
		t.Run(fmt.Sprintf("state lost: %t", lost), func(t *testing.T) {
			f, a := opened(t)
			p := sample("album", 3)
			ref := refOf(p)
			for _, step := range []struct {
				name    string
				pics    []string
				uploads int // in all
				puts    int // of the product
			}{
				{"two", pictureURLs(1, 2), 2, 1},
				{"the same", pictureURLs(1, 2), 2, 0},
				{"one twice", pictureURLs(1, 2, 1), 2, 0},
				{"one added in front", pictureURLs(3, 1, 2), 3, 1},
				{"reordered", pictureURLs(2, 3, 1), 3, 1},
				{"one removed", pictureURLs(2, 1), 3, 1},
				{"all removed", nil, 3, 1},
				{"more than one request takes", pictureURLs(1, 4, 5, 6, 7, 8, 9, 10, 11, 12), 13, 2},
			} {
				if lost {
					ref.State = nil
				}
				p.Images = step.pics
				f.Requests()
				var l shopadapter.Listing
				ref, l = must(t, a, ref, p, shopadapter.FieldImages)
				want := slices.Compact(slices.Clone(step.pics))
				if step.name == "one twice" {
					want = pictureURLs(1, 2)
				}
				if got := f.seen(t, p.ID).Images; !slices.Equal(got, want) || l.Kept != 0 {
					t.Fatalf("%s: shows %v, kept %s, want %v and none", step.name, got, l.Kept, want)
				}
				puts := len(
					slices.DeleteFunc(f.Requests(), func(line string) bool { return !strings.HasPrefix(line, "PUT") }),
				)
				if f.Uploads() != step.uploads || puts != step.puts {
					t.Fatalf("%s: %d uploads in all and %d writes, want %d and %d",
						step.name, f.Uploads(), puts, step.uploads, step.puts)
				}
			}
		})
	}
}

// A picture that the merchant deleted from the media library is loaded again.
func TestPictureDeletedInTheLibrary(t *testing.T) {
	f, a := opened(t)
	p := sample("album", 1)
	p.Images = pictureURLs(1, 2)
	ref, _ := must(t, a, refOf(p), p, shopadapter.AllFields)
	p.Images = pictureURLs(1)
	ref, _ = must(t, a, ref, p, shopadapter.FieldImages)
	for id, m := range f.Media {
		if m.Source == pictureURL(2) {
			delete(f.Media, id)
		}
	}
	p.Images = pictureURLs(2, 1)
	must(t, a, ref, p, shopadapter.FieldImages)
	if got := f.seen(t, p.ID).Images; !slices.Equal(got, p.Images) || f.Uploads() != 3 {
		t.Errorf("shows %v after %d uploads, want %v after 3", got, f.Uploads(), p.Images)
	}
}
