// Package story plays stories: what pubsync promises, told from outside. A story is a file of lines
//
//	# price-brake
//	list lamp cost=10 msrp=20 stock=5
//	run                        -> exit 0
//	supply lamp msrp=40 stock=3
//	run                        -> exit 1 held 1
//	shop lamp price=20 stock=3
//
// each of which does something, expects something, or both, with the expectations behind an arrow, each parted
// from the next by a semicolon and a space. Text with spaces stands in double quotes. All is read by the desk, the shop
// and the marketplace, never from a field.
//
// A line "# program" has it played with the built program too, "# long" leaves it out with -short.
//
// # What a line does
//
//	with lists observes figures literal currency=EUR vat=21   what the shop can do
//	set NAME=VALUE                     a setting, without its prefix; from the next run or start
//	list NAME key=value...             the retailer picks a product: title title.nl html cost msrp stock sku ean policy
//	                                   category pictures variants status brand shipping=GROUP:COSTS:DAYS
//	supply NAME key=value... [quiet]   the supplier changes it: the same keys, of=N for one variant, listing=none|back
//	unlist NAME... / relist NAME...    the retailer takes it off the list, or puts it back
//	                                   of a list and of supply there may be several; p[1-9] stands for nine names
//	market ORDER [WORD...] [on=KIND] [next=N] [executed]     an order of the sandbox: deny, refuse, delay, cut, heal, ...
//	market variants shown|refused|failing / market unregister
//	hand NAME... delete|hide|show|key=value...   the merchant's hand: price stock sold title off on, of=N
//	shop-fails reject|block|retry|panic [wide] [for=NAME] [on=METHOD] [text=] [after=30s] [wait=] [times=]
//	           [cut=before|half|after]
//	shop-refuses NAME of=N REASON / shop-lacks-pictures [later] / shop-works / shop-moves ORIGIN
//	run [full] [patience=2m] / plan [full] / start / stop / restart / wait SPAN
//	approve|decline|retry NAME...|all|failed|kind=KIND [reset]
//	webhook NAME... [unsigned] [product] [ahead=5s]   of its product; of a change of so much later
//	lose / save / put-back             of the store
//
// # What it expects
//
//	FIELD N ...                        of the last summary, or of the budget: exit, created, held, requests<=3
//	shop NAME [on|off|none] key=value...      what customers see
//	reported NAME STATUS|nothing [once|twice|N times] [at=PREFIX]
//	state NAME STATE ["text"]          and what explain tells; unknown: nothing
//	explain NAME [not] "text" / status [not] "text"
//	create NAME / change NAME FIELD [NEW] / withdraw NAME / holds NAME / nothing     of the last plan
//	calls METHOD=N...                  of the shop, since the line began
//	wrote NAME GROUPS|nothing          what its one write since the line began named as changed
//	reads NAME=N                       of its content at the marketplace, since the line began
//	answers STATUS                     to the last webhook
//	registered N                       webhooks of the marketplace
//
// What a webhook leads to may begin before its line has ended: it counts with the line that follows.
package story
