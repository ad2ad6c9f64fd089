package picture

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestPictureName(t *testing.T) {
	got := map[string]string{}
	for _, address := range []string{
		"https://cdn.example.com/a/Reading-Lamp_01.jpg", "https://cdn.example.com/.jpg",
		"https://cdn.example.com/" + strings.Repeat("x", 90) + ".png",
	} {
		list := Of(shopadapter.Product{Images: []string{address}}).Pictures
		name := list[0].name
		if found := markedName.FindStringSubmatch(name); found == nil || found[1] != list[0].mark {
			t.Errorf("from %q the mark is %q, want %q", name, found, list[0].mark)
		}
		got[address] = strings.TrimSpace(strings.TrimSuffix(name, list[0].mark))
	}
	if diff := cmp.Diff(map[string]string{
		"https://cdn.example.com/a/Reading-Lamp_01.jpg": "reading lamp 01", "https://cdn.example.com/.jpg": "",
		"https://cdn.example.com/" + strings.Repeat("x", 90) + ".png": strings.Repeat("x", 40),
	}, got); diff != "" {
		t.Errorf("names by address (-want +got):\n%s", diff)
	}
}

// The texts of WordPress, some of them in other languages.
func TestUnfetched(t *testing.T) {
	const at = "https://cdn.example.com/a.jpg"
	for text, want := range map[string]bool{
		"Error getting remote image " + at + ". Error: cURL error 28: Connection timed out after 10001 milliseconds": true,
		"Error getting remote image " + at + ". Error: Not Found":                                                    true,
		"Error getting remote image " + at + ". Error: Gone":                                                         true,
		// HTTP/2 has no words
		"Error getting remote image " + at + ". Error:":                     true,
		"Error getting remote image " + at + ". Error: Service Unavailable": true,
		// so it says of a name that does not resolve
		"Error getting remote image " + at + ". Error: A valid URL was not provided.":                        true,
		"Fehler beim Abrufen des entfernten Bildes " + at + ". Fehler: cURL error 6: Could not resolve host": true,
		"Invalid image: Sorry, you are not allowed to upload this file type.":                                false,
		"Ungültiges Bild: Du bist leider nicht berechtigt, diesen Dateityp hochzuladen.":                     false,
		"Ongeldige afbeelding: Sorry, je bent niet gerechtigd om dit bestandstype te uploaden.":              false,
		"Image non valide : Désolé, vous n’avez pas l’autorisation de téléverser ce type de fichier.":        false,
		"Immagine non valida: Non hai i permessi per caricare questo tipo di file.":                          false,
		"Invalid image: The uploaded file exceeds the upload_max_filesize directive in php.ini.":             false,
		"#1234 is an invalid image ID.": false,
		// the shop's disk
		"Invalid image: The uploaded file could not be moved to wp-content/uploads/2026/11.": true,
		// not known: another try mends more than none
		"Virheellinen kuva: jotain aivan muuta": true,
	} {
		if got := unfetched(text, at); got != want {
			t.Errorf("%s: unfetched %t, want %t", text, got, want)
		}
	}
	const down = "cURL error 7: Failed to connect to cdn.example.com port 443 after 0 ms: Couldn't connect to server"
	for text, want := range map[string]bool{down: true, "Not Found": false} {
		if got := unconnected(text); got != want {
			t.Errorf("unconnected(%q) is %t, want %t", text, got, want)
		}
	}
}
