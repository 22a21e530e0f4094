package eventstore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"
)

// judgement is what becomes of a group, given what is known of its streams.
type judgement struct {
	accepted []accepted
	// refused holds a typed error for each member that is not accepted, by its place in the group.
	refused map[int]error
	// tallies are the streams the accepted members write, sorted by name.
	tallies []*tally
}

type accepted struct {
	place int
	*pending
	stakes []stake
}

// stake is what one member adds to one stream: versions base+before+1 to base+after.
type stake struct {
	*tally
	before, after Version
}

// tally is one stream's account within a group.
type tally struct {
	stream string
	slice  int16
	// base is the version before the group; unknown until the database or an expectation says.
	base  Version
	added Version
	// required: an accepted member expects something of base.
	required bool
	// place is the index in judgement.tallies.
	place int
}

const unknown Version = -1

// judge decides the members of a group in order, each seeing what the accepted ones before it add. bases are the known
// versions; a stream without one is taken to be where the first expectation puts it, which the caller then has to check.
// held is what is taken of quotas, and grows; nil: claims are not looked at.
func judge(group []*pending, bases map[string]Version, used func(*Key) bool, held map[string]holding) judgement {
	j := judgement{refused: map[int]error{}}
	var (
		tallies = map[string]*tally{}
		ids     = map[uuid.UUID]bool{}
		keys    = map[[2]string]bool{}
	)
	consider := func(p *pending) ([]stake, []*tally, error) {
		for i, k := range p.keys {
			twin := func(other *Key) bool { return other.Scope == k.Scope && other.Key == k.Key }
			if used(k) || keys[[2]string{k.Scope, k.Key}] || slices.ContainsFunc(p.keys[:i], twin) {
				return nil, nil, &KeyUsed{Key: *k}
			}
		}
		// Changes stay on copies until the whole member is accepted.
		var stakes []stake
		var copies []*tally
		for w := range p.writes {
			pw := &p.writes[w]
			last := len(copies) - 1
			if last < 0 || copies[last].stream != pw.stream { // writes are sorted: those of one stream stand together
				t := tallies[pw.stream]
				if t == nil {
					base, known := bases[pw.stream]
					if !known {
						base = unknown
					}
					t = &tally{stream: pw.stream, slice: pw.slice, base: base}
					tallies[pw.stream] = t
				}
				copied := *t
				stakes = append(stakes, stake{tally: t, before: t.added})
				copies = append(copies, &copied)
				last++
			}
			t := copies[last]
			if pw.expected != AnyVersion {
				if t.base == unknown {
					t.base = pw.expected - t.added
				}
				if t.base < 0 || t.base+t.added != pw.expected {
					return nil, nil, &VersionConflict{Stream: pw.stream, Expected: pw.expected, Actual: t.base + t.added}
				}
				t.required = true
			}
			t.added += Version(len(pw.rows))
			stakes[last].after = t.added
			for r := range pw.rows {
				if id := pw.rows[r].id; ids[id] {
					return nil, nil, &DuplicateEvent{ID: id}
				}
			}
		}
		if held != nil && len(p.claims) > 0 {
			with := maps.Clone(held)
			if full := fit(p.claims, with); len(full) > 0 {
				return nil, nil, &QuotaFull{Claims: full}
			}
			maps.Copy(held, with)
		}
		return stakes, copies, nil
	}
	for place, p := range group {
		stakes, copies, err := consider(p)
		if err != nil {
			j.refused[place] = err
			continue
		}
		for i, t := range copies {
			*stakes[i].tally = *t
		}
		for _, k := range p.keys {
			keys[[2]string{k.Scope, k.Key}] = true
		}
		if len(group) > 1 {
			for w := range p.writes {
				for r := range p.writes[w].rows {
					ids[p.writes[w].rows[r].id] = true
				}
			}
		}
		j.accepted = append(j.accepted, accepted{place: place, pending: p, stakes: stakes})
	}
	written := map[*tally]bool{}
	for _, a := range j.accepted {
		for _, st := range a.stakes {
			if !written[st.tally] {
				written[st.tally] = true
				j.tallies = append(j.tallies, st.tally)
			}
		}
	}
	slices.SortFunc(j.tallies, func(a, b *tally) int { return cmp.Compare(a.stream, b.stream) })
	for i, t := range j.tallies {
		t.place = i
	}
	return j
}

// verdict turns a judgement whose bases are true, and the positions of its events in order, into the members' answers.
func (j judgement) verdict(size int, positions []int64) []answer {
	answers := make([]answer, size)
	for place, err := range j.refused {
		answers[place].err = err
	}
	for _, a := range j.accepted {
		done := Appended{Versions: make(map[string]Version, len(a.stakes))}
		for _, st := range a.stakes {
			done.Versions[st.stream] = st.base + st.after
		}
		if a.events > 0 {
			done.Position = Position(positions[a.events-1])
			positions = positions[a.events:]
		}
		answers[a.place].appended = done
	}
	return answers
}
