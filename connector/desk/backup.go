package desk

import (
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/pubsync/pubsync/store"
)

// backupMost bounds how long the client of a backup may take to read it.
const backupMost = time.Hour

// sendBackup sends a copy of the store, one at a time. The copy is made in a file first, since a slow
// reader would keep the store from using old pages again. The file loses its name as soon as it is
// open, so that a worker that is killed leaves nothing of it where the system can do that.
func (l *Local) sendBackup(w http.ResponseWriter, r *http.Request) (any, error) {
	if !l.copying.TryLock() {
		w.Header().Set("Retry-After", "60")
		return nil, errBackup
	}
	defer l.copying.Unlock()
	path := store.PathOf(l.Store)
	folder := filepath.Dir(path)
	if _, err := os.Stat(folder); err != nil {
		folder = "" // the store is no file: that of the system for temporary ones
	}
	tmp, err := os.CreateTemp(folder, "."+filepath.Base(path)+".backup-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(tmp.Name()) != nil { // a system that knows no files without a name
		defer os.Remove(tmp.Name()) //nolint:errcheck // a leftover is only a leftover
	}
	defer tmp.Close() //nolint:errcheck // it was read
	if err := l.Backup(r.Context(), tmp); err != nil {
		return nil, err
	}
	//nolint:errcheck // a listener without deadlines needs none
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(backupMost))
	w.Header().Set("Content-Type", "application/octet-stream")
	http.ServeContent(w, r, "", time.Time{}, tmp)
	return nil, nil //nolint:nilnil // it is answered
}
