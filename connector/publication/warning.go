package publication

// MetaWarning is the fact of the store that says what the shop was last found to keep from its
// visitors; "": nothing.
const MetaWarning = "shop.warning"
