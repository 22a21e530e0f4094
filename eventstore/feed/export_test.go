package feed

// For the tests of delivery, which know the feed from outside.
var (
	OpenStore  = openStore
	Seen       = seen
	Versions   = versions
	Eventually = eventually
	AppendTo   = appendTo
)

type (
	Happened = happened
	Named    = named
)
