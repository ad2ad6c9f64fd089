package fakeshop

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"
)

// An Attachment is a picture in the media library.
type Attachment struct{ Source, File, Name string }

// NotAllowed is what WordPress says of a file that is no picture, and of one of a type that it does
// not take.
const NotAllowed = "Invalid image: Sorry, you are not allowed to upload this file type."

// download takes in the pictures of a request: each address anew, also one that was loaded before,
// and none if one of them is bad. A picture on which PHP dies is another matter: those before it
// stay.
func (f *Shop) download(input map[string]any) (ids []int64, e *failure) {
	items, ok := input["images"].([]any)
	if !ok {
		return nil, nil
	}
	ids = []int64{}
	var loaded []int64
	defer func() {
		if e == nil || e.status >= 500 || e.status == f.KilledAs {
			return
		}
		f.Mu.Lock()
		defer f.Mu.Unlock()
		for _, id := range loaded {
			delete(f.Media, id)
			f.Loaded--
		}
	}()
	for _, item := range items {
		m := item.(map[string]any)
		src, _ := m["src"].(string)
		name, _ := m["name"].(string)
		if id, _ := m["id"].(float64); id > 0 {
			f.Mu.Lock()
			known := f.Media[int64(id)] != nil
			f.Mu.Unlock()
			if !known {
				return nil, fail(400, "woocommerce_product_invalid_image_id", fmt.Sprintf("#%d is an invalid image ID.", int64(id)))
			}
			ids = append(ids, int64(id))
			continue
		}
		id, e := f.load(src, name)
		if e != nil {
			return nil, e
		}
		if id > 0 {
			ids, loaded = append(ids, id), append(loaded, id)
		}
	}
	return ids, nil
}

// load takes in one picture. The id is 0 for one that a plugin has left out.
func (f *Shop) load(src, name string) (id int64, e *failure) {
	u, err := url.Parse(src)
	if err != nil ||
		!slices.Contains([]string{".jpg", ".jpeg", ".png", ".webp", ".gif"}, strings.ToLower(path.Ext(u.Path))) {
		return 0, fail(400, faultUpload, NotAllowed)
	}
	f.takes("picture")
	if time.Sleep(f.Slow[src]); f.Silent[src] {
		time.Sleep(300 * time.Second) // as long as PHP may wait
		return 0, fail(400, faultUpload, "Error getting remote image "+src+". Error: cURL error 28: Operation timed out")
	}
	f.Mu.Lock()
	defer f.Mu.Unlock()
	why := ""
	if f.BadPicture != nil {
		why = f.BadPicture(src)
	}
	switch {
	case why != "" && f.Suppresses:
		return 0, nil
	case strings.HasPrefix(why, "Invalid image: "): // it was loaded, and the text does not say which it is
		return 0, fail(400, faultUpload, why)
	case why != "":
		return 0, fail(400, faultUpload, "Error getting remote image "+src+". Error: "+why)
	}
	f.NextPost++
	f.Loaded++
	file := path.Base(u.Path)
	a := &Attachment{Source: src, Name: name}
	for n := 1; ; n++ { // red.jpg becomes red-1.jpg
		if a.File = file; !f.hasFile(file) {
			break
		}
		ext := path.Ext(u.Path)
		file = fmt.Sprint(strings.TrimSuffix(path.Base(u.Path), ext), "-", n, ext)
	}
	f.Media[f.NextPost] = a
	// PHP that dies leaves the row, with the file's name: the one that was asked for comes later
	kills := f.Kills != nil && f.Kills(src)
	if name == "" || kills {
		a.Name = a.File
	}
	switch {
	case kills && f.KilledAs != 0:
		return 0, fail(f.KilledAs, "", "") // the web server's answer, since PHP gives none
	case kills:
		return 0, critical()
	}
	return f.NextPost, nil
}

func (f *Shop) hasFile(name string) bool {
	for _, a := range f.Media {
		if a.File == name {
			return true
		}
	}
	return false
}
