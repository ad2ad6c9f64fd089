// Package catalog is a shop that is a folder: one JSON file a product, one web page beside it, and
// an index to browse them by. It needs no server but one that hands out files, no database and no
// account. The demo runs on it; a retailer may use it as a real shop window on a static host.
//
//	catalog/
//	├── index.html                            all products, newest first
//	└── products/
//	    ├── <id>-<hash>.json                  the record: the product and the stamp
//	    └── <id>-<hash>.html                  what a customer sees
//
// # The record is the truth
//
// The JSON file holds the product as it is published, but for what the supplier asks of the
// retailer, for goods and for sending them: the folder is meant to be served, so every reader may
// be a customer. Under "pubsync" it carries the stamp: the publication's id, whether the product is
// on sale, and a hash of each text group as pubsync last wrote it. Text and stamp travel in one
// rename, so the stamp always speaks of the text beside it. A lost answer never looks like an edit.
// Every page can be made from the records again.
//
// A merchant may open the file and change the title, the description (with its translations), the
// images, the category, the brand, or any detail of a variant: its EAN, weight, sizes, origin and
// the others. The hash then differs, the change stays when the supplier's text moves, and the page
// shows it from the next publish on. Each detail is kept on its own. In a record from before there
// were details, a brand or a detail that the merchant typed stays too. A price, a quantity or a
// variant that was changed there is observed, and the connector decides about it. Other keys are
// not kept. A product that is taken out of sale keeps its record, where a curious customer may
// still read it; delete removes that too.
//
// There are no drafts, and PUBSYNC_PUBLISH_AS=draft is refused: a folder that is served has no back
// office in which somebody puts a product on sale, and whoever knows an address can read what lies
// there.
//
// # Names
//
// An id is data and may hold anything: slashes, dots, line breaks, ten thousand letters. A file's
// name is made of the letters and digits at its start, for people, and of 135 bits of its SHA-256.
// So different ids have different names on every file system, also on one that folds case. No path
// is ever built from what a file or a hint says.
//
// A file under one of these names that has no stamp, or a stamp for another id, belongs to somebody
// else: it is neither overwritten nor removed, and Publish says which file is in the way. The same
// holds for pages without the mark that every page of ours begins with.
//
// # What survives a crash
//
// A file is written under a temporary name, synced, renamed, and its folder is synced. A reader
// always finds the old file or the new one. The record is renamed before its page; a product leaves
// the other way round, so that a page is on sale at most as long as its record. Each order can be
// cut anywhere and is finished by calling again. Temporary files that a crash left behind are
// removed by the next process that writes; a process whose temporary file vanishes that way writes
// it again.
//
// # The index
//
// Publish returns when the product's page is in place; the index follows. Changes are gathered, and
// the index is brought up to date at most once a second. A pass that takes long is followed by a
// longer pause, so the index costs a fifth of the time at most. A pass looks at every record's
// inode, reads those that changed, and writes the index where it came out differently. A file named
// .pubsync-index-behind stands in the folder while the index is behind; found at start, it means
// that the last process died before it had caught up, and the next Check does so.
//
// # What a page may do
//
// A page runs no script and loads nothing but pictures, and its Content-Security-Policy says so to
// the browser. What a page says by itself is English; the product's texts are in its
// own languages. Text is escaped by html/template. Descriptions arrive sanitised and are
// sanitised again here, since a merchant may have pasted something into the record. Links and
// pictures are http or https, or they are left out.
package catalog
