package policies

import (
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"

	"shop/commands"
	"shop/eventstore/feed"
)

// consumersOf are the policies on the feed, without what they call.
func consumersOf() []feed.Consumer {
	return []feed.Consumer{
		NotifyRestock(&commands.Restock{}), FollowBonuses(&commands.Bonuses{}), DeletePhotos(nil, nil), ForgetPersons(nil), JoinOrders{}.Consumer(), Mails{}.Consumer(), Notices{}.Consumer(),
	}
}

// TestAPolicyThatWantsOtherEventsIsAnotherRevision: testdata/revisions.json has each revision with the events it wants. A new
// revision gets a new entry; entries stay.
func TestAPolicyThatWantsOtherEventsIsAnotherRevision(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/revisions.json")
	if err != nil {
		t.Fatal(err)
	}
	var known map[string][][]string
	if err := json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, c := range consumersOf() {
		named = append(named, c.Name)
		types := slices.Sorted(slices.Values(c.Types))
		if c.Revision < 1 || c.Revision != len(known[c.Name]) {
			t.Errorf("%s is revision %d, testdata/revisions.json has %d", c.Name, c.Revision, len(known[c.Name]))
		} else if want := known[c.Name][c.Revision-1]; !slices.Equal(types, want) {
			t.Errorf("%s wants %q, its revision %d wanted %q: raise the revision", c.Name, types, c.Revision, want)
		}
	}
	slices.Sort(named)
	if want := slices.Sorted(maps.Keys(revisions)); !slices.Equal(named, want) || len(known) != len(want) {
		t.Errorf("policies %q, revisions of %q", named, want)
	}
}
