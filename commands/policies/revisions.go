package policies

// revisions are the versions of the policies on the feed, by name. Raise one with every change of what the policy does or of the
// events it wants: while a new version of the program is deployed, the processes of the former one then leave it alone.
var revisions = map[string]int{
	"delete-photos":  2,
	"follow-bonuses": 1,
	"forget-persons": 1,
	"join-orders":    1,
	"mails":          2,
	"notices":        1,
	"notify-restock": 1,
}

// Is says whether a consumer of the feed is one of the policies.
func Is(name string) bool {
	_, ok := revisions[name]
	return ok
}
