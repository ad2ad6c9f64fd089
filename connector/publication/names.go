package publication

import "github.com/pubsync/pubsync/store"

// The record and its parts, as package store keeps them.
type (
	Record    = store.Record
	Variant   = store.Variant
	Written   = store.Written
	Seen      = store.Seen
	Corrected = store.Corrected
	Day       = store.Day
	Gone      = store.Gone
	Pictures  = store.Pictures
	Attempt   = store.Attempt
	Problem   = store.Problem
	Verdict   = store.Verdict
	Hold      = store.Hold
	Report    = store.Report
	Class     = store.Class
	Mark      = store.Mark
	Entry     = store.Entry
	Event     = store.Event
	Change    = store.Change
)

const (
	Off     = store.Off
	OnSale  = store.OnSale
	Draft   = store.Draft
	SoldOut = store.SoldOut

	Approved = store.Approved
	Declined = store.Declined

	ClassAsked   = store.ClassAsked
	ClassHook    = store.ClassHook
	ClassNew     = store.ClassNew
	ClassSweep   = store.ClassSweep
	ClassFull    = store.ClassFull
	ClassRules   = store.ClassRules
	ClassRefresh = store.ClassRefresh

	WhatCreated  = store.WhatCreated
	WhatUpdated  = store.WhatUpdated
	WhatOffSale  = store.WhatOffSale
	WhatHeld     = store.WhatHeld
	WhatApproved = store.WhatApproved
	WhatDeclined = store.WhatDeclined
	WhatState    = store.WhatState
)
