package laws

// Book lists every law, from the plain to the unlikely.
func Book() []Law {
	return []Law{
		{"health", "Endpoint", checkHealth, "GET {base}/health answers 200; where it names a currency, that is " +
			"three capital letters."},
		{"token", "Endpoint", checkToken, "A request without the token, or with another, is answered 401 or 403 and " +
			"changes nothing."},
		{"publish", always, checkPublish, "Publishing makes one listing that is on sale and shows the product; the " +
			"answer has the ids that the shop gave to it and to its variants."},
		{"idempotent", always, checkIdempotent, "Publishing the same product again leaves the shop as it was, " +
			"whichever groups are said to have changed."},
		{"last-wins", always, checkLastWins, "After several publications the shop shows the last one, on the " +
			"listing that was made first."},
		{"only-changed", "", checkOnlyChanged, "Only the field groups named in changed are written."},
		{"restart-without-hint", always, checkRestart, "With nothing but the key, after a restart that lost every " +
			"hint, publishing finds the listing that it made before."},
		{"stale-hint", always + " " + inGo, checkStaleHint, "A hint that points to a listing of the past or to " +
			"another publication's, or is older than the last write, does not mislead: the key decides."},
		{"hostile-ids", always, checkHostileIDs, "A publication id may hold any character; ids that differ are " +
			"different listings, and text is shown as it was given."},
		{"variants", always, checkVariants, "A variant that is added, removed or renamed is added, removed or " +
			"renamed in the shop; the others keep their ids. A product of one grows to several and shrinks back, on " +
			"one listing."},
		{"choice", "Visit", checkChoice, "Each choice that the shop offers leads a visitor to that very variant: " +
			"its SKU, its price, its stock."},
		{"renamed-choice", "Visit RenameOption RenameValue", checkRenamedChoice, "An option or a value that the " +
			"merchant renamed keeps that name, and each choice goes on leading to its variant; what cannot be " +
			"followed is blocked, and the choices stay as they were."},
		{"unpublish", always, checkUnpublish, "Unpublish takes the listing out of sale, or deletes it, with the " +
			"hint or with the key alone."},
		{"unpublish-twice", always, checkUnpublishTwice, "To unpublish what is unpublished, or was never published, " +
			"is no error and changes nothing."},
		{"republish", always, checkRepublish, "A listing that was taken out of sale comes back when it is " +
			"published, as the product is then, whatever is said to have changed."},
		{"draft", "Drafts", checkDraft, "A product that is to be a draft is complete and not on sale, at its " +
			"creation and at each change. One that is on sale stays on sale, and is brought up to date."},
		{"deleted-by-hand", "DeleteByHand", checkDeletedByHand, `A listing that somebody deleted stays deleted, and ` +
			`the answer says so (ErrGone; over HTTP 410 with {"deleted":true}), until the caller has it made anew.`},
		{"hidden-by-hand", "HideByHand", checkHiddenByHand, "A listing that the caller left on sale and somebody " +
			"took out of sale is ErrHidden and stays so, until the caller asks to put it there again."},
		{"stamp-deleted", "DeleteStamp", checkStampDeleted, "A listing whose stamp somebody deleted is found by the " +
			"ref: it is Blocked, stays as it is, and has none made beside it, until the caller asks for it " +
			"(Revive), which brings it in line."},
		{"foreign", "AddForeign", checkForeign, "A product that the adapter did not make is never touched, not even " +
			"where it has our SKU or a hint points to it."},
		{"adopted", "OpenAdopting AddForeign", checkAdopted, "A product of the merchant's own that was taken over " +
			"is never deleted: it leaves the sale, what the adapter added goes, and so does its stamp."},
		{"refused-variant", "RefuseVariant", checkRefusedVariant, "A variant that the shop refuses is reported with " +
			"the reason, and the others are on sale; a product whose every variant is refused is Rejected, and " +
			"nothing of it is on sale."},
		{"refused-product", "RefuseProduct", checkRefusedProduct, "A product that the shop refuses is Rejected, and " +
			"is on sale once the supplier has mended it."},
		{"merchants-edit", "Edit", checkMerchantsEdit, "A text that the merchant edited stays and is named as kept, " +
			"until it is reset; price, stock and the other texts follow."},
		{"edit-not-invented", faults + " " + inGo, checkEditNotInvented, "An answer that was lost is not taken for " +
			"the merchant's edit: the supplier's next text is written."},
		{"translation-lost-answer", "Languages " + faults, checkTranslation, "An answer that was lost is not taken " +
			"for an edit of a translation either: the supplier's next words are written in every language."},
		{"details-shown", "Details", checkDetailsShown, "Brand, EAN and details stand in the shop as the supplier " +
			"gives them, follow a change, and are gone when the supplier gives none; a listing that was made " +
			"without them gets them where its fields are empty."},
		{"merchants-detail", "Details EditDetail", checkMerchantsDetail, "A brand or a detail that the merchant " +
			"typed stays and is named as kept, while the other details follow, until it is reset."},
		{"details-unknown", "Details", checkDetailsUnknown, "Details that could not be read are left as they were " +
			"written."},
		{"detail-lost-answer", "Details " + faults, checkDetailLostAnswer, "An answer that was lost is not taken " +
			"for the merchant's edit of a detail: the supplier's next details are written."},
		{"image-once", "Uploads " + faults, checkImageOnce, "A picture that the shop has already is not uploaded " +
			"again, whatever else changes and whatever was lost on the way."},
		{"late-picture", "LosePicture", checkLatePicture, "A picture that came late is shown: while it cannot be " +
			"fetched the product is on sale without it and the result names it."},
		{"refused-picture", "SpoilPicture", checkRefusedPicture, "A picture that is none is said to be refused for " +
			"good, and the product is on sale with the others."},
		{"lost-answer", faults, checkLostAnswer, "Whichever request of a call is lost, or its answer, calling again " +
			"converges on one listing with one of each variant."},
		{"fault-half-way", requests + " " + inGo, checkHalfWay, "Whichever request of a call is answered by 429, " +
			"503, HTML or half a body, the error is transient and calling again converges."},
		{"late-creation", requests, checkLateCreation, "A request that the shop carries out after its caller gave " +
			"up and called again leaves one listing, on sale and whole."},
		{"never-half-built", steps, checkNeverHalfBuilt, "A listing that is not complete is never on sale, neither " +
			"while it is made nor while it is brought back."},
		{"error-kinds", requests + " " + inGo, checkErrorKinds, "What time mends is Transient: 429 (shop-wide, with " +
			"its Retry-After), 5xx, HTML in place of an answer, a cut connection."},
		{"credentials", "BreakCredentials", checkCredentials, "Refused credentials are told as such (blocked and " +
			"shop-wide; over HTTP 401 or 403), and once they are mended everything goes on."},
		{"checker", "BreakCredentials " + inGo, checkChecker, "Check tells good credentials from bad ones and a " +
			"shop that cannot be reached from both, and changes nothing."},
		{"no-secret", "Secrets " + requests, checkNoSecret, "No error contains a secret, not even one that the shop " +
			"sent back, and no secret follows a redirect to another host."},
		{"parallel", always, checkParallel, "Publications that are worked on at the same time do not disturb one " +
			"another."},
		{"cancel", always + " " + inGo, checkCancel, "A cancelled context ends a call promptly with the context's " +
			"error, and a later call converges."},
		{"input-unmodified", always + " " + inGo, checkInput, "What the product and the ref point at is the " +
			"caller's: no call modifies it."},
		{"lister", "", checkLister, "List ranges over what the adapter made, on sale or not, and nothing else, each " +
			"once; its refs are good for Publish; a shop that cannot be reached ends it with one error."},
		{"observed-as-written", "", checkObservedAsWritten, "What was written is observed as it was written: SKU, " +
			"price, quantity, backorders, on sale or not, the number of pictures; a variant has the id that " +
			"publishing it answered, or the marketplace's."},
		{"observed-some", "", checkObservedSome, "An observation of some listings is of those and no others; one " +
			"that is gone is not among the answers, and of none there is none."},
		{"observed-idle", "", checkObservedIdle, "To observe changes nothing; publishing what is there afterwards " +
			"changes nothing either."},
		{"observed-cost", "", checkObservedCost, "A complete observation costs fewer requests than there are " +
			"listings."},
		{"observed-foreign", "AddForeign", checkObservedForeign, "A product that the adapter did not make is never " +
			"observed, not even where a ref points to it."},
		{"observed-edit", "Edit", checkObservedEdit, "A text that the merchant edited is observed as edited, and no " +
			"other is, until it is reset; the title at least is compared."},
		{"observed-unedited", "", checkObservedUnedited, "What Publish wrote, whole or figures alone, is never " +
			"observed as edited, however the shop escapes or tidies it."},
		{"observed-price", "SetPriceByHand", checkPriceByHand, "A price that somebody changed in the shop is " +
			"observed as it stands, is not put right by that, and is as it was written again after a publish, or a " +
			"write of figures alone, that names its group, although the product is the same."},
		{"observed-quantity", "SetQuantityByHand", checkQuantityByHand, "A quantity that somebody changed in the " +
			"shop is observed as it stands, is not put right by that, and is as it was written again after a write " +
			"of its group."},
		{"observed-reduction", "ReduceByHand", checkObservedReduction, "A merchant's reduction is not a changed " +
			"price: the price that was written is observed, or the reduced one beside a former price that is not " +
			"below it."},
		{"observed-variant-gone", "RemoveVariantByHand", checkVariantGone, "A variant that somebody deleted in the " +
			"shop is not among those observed, and the others are; it is made again by a publish that names " +
			"variants, price and stock, and the others keep their ids."},
		{"observed-variant-off", "HideVariantByHand", checkVariantOff, "A variant that somebody switched off in the " +
			"shop is observed, and not on sale; it stays off, whatever is written, while the others follow, and is " +
			"on sale again once the caller asks for it."},
		{"restock", "", checkRestock, "Figures alone leave the shop as publishing them would: a group that is not " +
			"named stays as it is, since the shop may have sold meanwhile; no text is touched."},
		{"restock-asks-whole", "", checkAsksWhole, "Figures alone make nothing: of what is not there with these " +
			"very variants, or needs more than figures, it is told (ErrWhole; over HTTP 404 or 409), and a publish " +
			"does it."},
		{"restock-lost-answer", faults, checkRestockLost, "Whichever request of a write of figures is lost, the " +
			"next publish ends with the figures it was given, and takes no text for the merchant's."},
		{"restock-leaves-the-merchants", "", checkLeavesTheMerchants, "Figures alone leave what the merchant did: " +
			"texts, a variant switched off, a listing that was hidden or deleted; the next publish tells it as " +
			"before."},
		{"restock-refused-variant", "RefuseVariant", checkRestockRefused, "A figure that the shop refuses of one " +
			"variant is reported, or told to need the whole product; the other variants have theirs, or stay."},
		{"net-price", "AddTax", checkNetPrice, "A visitor of a shop that adds tax to prices pays the price that was " +
			"asked, to the cent, also once the shop began to; it is listed as written, and a price that stands " +
			"stays."},
		{"put", "Endpoint", checkPut, `The body of a PUT is whole whatever "changed" names: a product that the shop ` +
			`does not know is made from it. Where the answer names variants, they are those of the body.`},
		{"overlap", "Endpoint", checkOverlap, "A PUT that overlaps its own repetition, as after a time-out, is one " +
			"product, and so is one with the header Pubsync-Recreate of what is there."},
		{"delete", "Endpoint", checkDelete, "DELETE of a product answers 204 in both modes, DELETE of nothing 204 " +
			"or 404, and the other products stay."},
		{"list-observed", "Endpoint", checkListObserved, `Where health says "observed", each product in the list ` +
			`has "images" and its "variants", each with "id", "sku", "price", "quantity", "backorders" and ` +
			`"onSale".`},
		{"problem", "Endpoint", checkProblem, `A body that is no product is refused with 400, 409, 413 or 422 and a ` +
			`problem (RFC 9457) whose "detail" or "title" a person can read.`},
		{"cut-off", "Endpoint", checkCutOff, "A body that is cut off changes nothing."},
		{"text-is-data", "Endpoint", checkText, "Texts are data: markup, quotes, emoji and unknown members neither " +
			"break the endpoint nor are a reason to refuse."},
		{"large", "Endpoint", checkLarge, "A product of a hundred variants and a long description is made, or " +
			"refused with 413 or 422, and never with a 5xx."},
	}
}
