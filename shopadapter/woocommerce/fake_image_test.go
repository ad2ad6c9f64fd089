package woocommerce

import (
	"context"
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/step"
)

// notAllowed is what WordPress says of a file that is no picture, and of one of a type that it does
// not take.
const notAllowed = "Invalid image: Sorry, you are not allowed to upload this file type."

// try is what asking for the pictures from here tells.
func (f *fakeShop) try(ctx context.Context, addresses []string) map[string]error {
	failed := map[string]error{}
	for _, address := range addresses {
		if f.silent[address] {
			failed[address] = errors.New("its server did not answer within 10s")
		}
	}
	if len(failed) > 0 {
		_ = step.Pause(ctx, 10*time.Second)
	}
	return failed
}

// losePicture takes the server of a picture away until back is called.
func (f *fakeShop) losePicture(address string) (back func()) {
	return f.spoil(
		address,
		"cURL error 7: Failed to connect to images.example.com port 443 after 0 ms: Couldn't connect to server",
	)
}

// spoil has a picture refused with a text until back is called.
func (f *fakeShop) spoil(address, why string) (back func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before := f.badPicture
	gone := false
	f.badPicture = func(src string) string {
		if src == address && !gone {
			return why
		}
		if before != nil {
			return before(src)
		}
		return ""
	}
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		gone = true
	}
}

// download takes in the pictures of a request: each address anew, also one that was loaded before,
// and none if one of them is bad. A picture on which PHP dies is another matter: those before it
// stay, as the product's with the id parent.
func (f *fakeShop) download(input map[string]any, parent int64) ([]int64, *failure) {
	items, ok := input["images"].([]any)
	if !ok {
		return nil, nil
	}
	ids := []int64{}
	var loaded []int64
	undo := func(e *failure) ([]int64, *failure) {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, id := range loaded {
			delete(f.media, id)
			f.uploads--
		}
		return nil, e
	}
	for _, item := range items {
		m := item.(map[string]any)
		if id, isID := m["id"].(float64); isID && id > 0 {
			f.mu.Lock()
			known := f.media[int64(id)] != nil
			f.mu.Unlock()
			if !known {
				return undo(fail(400, codeNoImage, "#"+jsonNumber(id)+" is an invalid image ID."))
			}
			ids = append(ids, int64(id))
			continue
		}
		src, _ := m["src"].(string)
		u, err := url.Parse(src)
		if err != nil ||
			!slices.Contains([]string{".jpg", ".jpeg", ".png", ".webp", ".gif"}, strings.ToLower(path.Ext(u.Path))) {
			return undo(fail(400, codeUpload, notAllowed))
		}
		f.takes("picture", 1)
		time.Sleep(f.slow[src])
		if f.silent[src] {
			time.Sleep(300 * time.Second) // as long as PHP may wait
			return undo(
				fail(400, codeUpload, "Error getting remote image "+src+". Error: cURL error 28: Operation timed out"),
			)
		}
		f.mu.Lock()
		why := ""
		if f.badPicture != nil {
			why = f.badPicture(src)
		}
		f.mu.Unlock()
		if why != "" && f.suppresses {
			continue
		}
		if why != "" {
			text := "Error getting remote image " + src + ". Error: " + why
			if strings.HasPrefix(why, "Invalid image: ") {
				text = why // it was loaded, and the text does not say which it is
			}
			return undo(fail(400, codeUpload, text))
		}
		f.mu.Lock()
		f.nextPost++
		f.uploads++
		// the row is there, with the file's name: the one that was asked for comes later
		if f.kills != nil && f.kills(src) {
			f.media[f.nextPost] = &attachment{
				src:    src,
				file:   f.freeFile(path.Base(u.Path)),
				name:   path.Base(u.Path),
				parent: parent,
				cut:    true,
			}
			f.mu.Unlock()
			if f.killedAs != 0 {
				return nil, fail(f.killedAs, "", "") // the web server's answer, since PHP gives none
			}
			return nil, fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
		}
		a := &attachment{src: src, file: f.freeFile(path.Base(u.Path)), parent: parent}
		a.name, _ = m["name"].(string)
		if a.name == "" {
			a.name = a.file
		}
		f.media[f.nextPost] = a
		ids, loaded = append(ids, f.nextPost), append(loaded, f.nextPost)
		f.mu.Unlock()
	}
	return ids, nil
}

// freeFile is a file name that no other picture has: red.jpg becomes red-1.jpg.
func (f *fakeShop) freeFile(name string) string {
	ext := path.Ext(name)
	for n := 0; ; n++ {
		candidate := name
		if n > 0 {
			candidate = strings.TrimSuffix(name, ext) + "-" + jsonNumber(float64(n)) + ext
		}
		taken := false
		for _, a := range f.media {
			taken = taken || a.file == candidate
		}
		if !taken {
			return candidate
		}
	}
}
