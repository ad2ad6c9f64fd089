package fakeshop

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

// NotAllowed is what WordPress says of a file that is no picture, and of one of a type that it does
// not take.
const NotAllowed = "Invalid image: Sorry, you are not allowed to upload this file type."

// TryAll is what asking for the pictures from here tells.
func (f *Shop) TryAll(ctx context.Context, addresses []string) map[string]error {
	failed := map[string]error{}
	for _, address := range addresses {
		if f.Silent[address] {
			failed[address] = errors.New("its server did not answer within 10s")
		}
	}
	if len(failed) > 0 {
		_ = step.Pause(ctx, 10*time.Second)
	}
	return failed
}

// LosePicture takes the server of a picture away until back is called.
func (f *Shop) LosePicture(address string) (back func()) {
	return f.Spoil(
		address, "cURL error 7: Failed to connect to images.example.com port 443 after 0 ms: Couldn't connect to server",
	)
}

// Spoil has a picture refused with a text until back is called.
func (f *Shop) Spoil(address, why string) (back func()) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	before := f.BadPicture
	gone := false
	f.BadPicture = func(src string) string {
		if src == address && !gone {
			return why
		}
		if before != nil {
			return before(src)
		}
		return ""
	}
	return func() {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		gone = true
	}
}

// download takes in the pictures of a request: each address anew, also one that was loaded before,
// and none if one of them is bad. A picture on which PHP dies is another matter: those before it
// stay, as the product's with the id parent.
func (f *Shop) download(input map[string]any, parent int64) ([]int64, *failure) {
	items, ok := input["images"].([]any)
	if !ok {
		return nil, nil
	}
	ids := []int64{}
	var loaded []int64
	undo := func(e *failure) ([]int64, *failure) {
		f.Mu.Lock()
		defer f.Mu.Unlock()
		for _, id := range loaded {
			delete(f.Media, id)
			f.Loaded--
		}
		return nil, e
	}
	for _, item := range items {
		m := item.(map[string]any)
		if id, isID := m["id"].(float64); isID && id > 0 {
			f.Mu.Lock()
			known := f.Media[int64(id)] != nil
			f.Mu.Unlock()
			if !known {
				return undo(fail(400, faultNoImage, "#"+Number(id)+" is an invalid image ID."))
			}
			ids = append(ids, int64(id))
			continue
		}
		src, _ := m["src"].(string)
		u, err := url.Parse(src)
		if err != nil ||
			!slices.Contains([]string{".jpg", ".jpeg", ".png", ".webp", ".gif"}, strings.ToLower(path.Ext(u.Path))) {
			return undo(fail(400, faultUpload, NotAllowed))
		}
		f.takes("picture", 1)
		time.Sleep(f.Slow[src])
		if f.Silent[src] {
			time.Sleep(300 * time.Second) // as long as PHP may wait
			return undo(fail(400, faultUpload, "Error getting remote image "+src+". Error: cURL error 28: Operation timed out"))
		}
		f.Mu.Lock()
		why := ""
		if f.BadPicture != nil {
			why = f.BadPicture(src)
		}
		f.Mu.Unlock()
		if why != "" && f.Suppresses {
			continue
		}
		if why != "" {
			text := "Error getting remote image " + src + ". Error: " + why
			if strings.HasPrefix(why, "Invalid image: ") {
				text = why // it was loaded, and the text does not say which it is
			}
			return undo(fail(400, faultUpload, text))
		}
		f.Mu.Lock()
		f.NextPost++
		f.Loaded++
		// the row is there, with the file's name: the one that was asked for comes later
		if f.Kills != nil && f.Kills(src) {
			f.Media[f.NextPost] = &Attachment{
				Source: src, File: f.freeFile(path.Base(u.Path)), Name: path.Base(u.Path), Parent: parent,
			}
			f.Mu.Unlock()
			if f.KilledAs != 0 {
				return nil, fail(f.KilledAs, "", "") // the web server's answer, since PHP gives none
			}
			return nil, fail(500, "internal_server_error", "<p>There has been a critical error on this website.</p>")
		}
		a := &Attachment{Source: src, File: f.freeFile(path.Base(u.Path)), Parent: parent}
		a.Name, _ = m["name"].(string)
		if a.Name == "" {
			a.Name = a.File
		}
		f.Media[f.NextPost] = a
		ids, loaded = append(ids, f.NextPost), append(loaded, f.NextPost)
		f.Mu.Unlock()
	}
	return ids, nil
}

// freeFile is a file name that no other picture has: red.jpg becomes red-1.jpg.
func (f *Shop) freeFile(name string) string {
	ext := path.Ext(name)
	for n := 0; ; n++ {
		candidate := name
		if n > 0 {
			candidate = strings.TrimSuffix(name, ext) + "-" + Number(float64(n)) + ext
		}
		taken := false
		for _, a := range f.Media {
			taken = taken || a.File == candidate
		}
		if !taken {
			return candidate
		}
	}
}
