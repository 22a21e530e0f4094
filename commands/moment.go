package commands

import (
	"slices"
	"time"
)

// AtOneMoment makes what the unit sees of some streams what one moment saw: an append that wrote several of them is seen whole or not
// at all. They must be loaded. It asks the log, in one query, only when they may be of different moments.
//
// Two followed states can be torn by an append only when the newer was learned after the older was last known to be the
// stream's end. Both times are of this process's clock, so that no other clock counts.
func (u *Unit) AtOneMoment(refs ...Ref) error {
	states := make([]*loaded, 0, len(refs))
	for _, ref := range refs {
		// What a batch decided of a stream is asserted by its append.
		if l := u.of(ref.name()); !l.ahead && len(l.events) == 0 && !slices.Contains(states, l) {
			states = append(states, l)
		}
	}
	if ofOneMoment(states) {
		return nil
	}
	return u.ask(states)
}

func ofOneMoment(states []*loaded) bool {
	if len(states) < 2 {
		return true
	}
	var learned, asOf time.Time
	for i, l := range states {
		if l.moment != states[0].moment {
			return false
		}
		if l.learned.After(learned) {
			learned = l.learned
		}
		if i == 0 || l.asOf.Before(asOf) {
			asOf = l.asOf
		}
	}
	return states[0].moment != nil || learned.Before(asOf)
}
