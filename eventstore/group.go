package eventstore

import (
	"cmp"
	"maps"
	"slices"

	"github.com/google/uuid"
)

// judgement is the result of a group, given the known versions of its streams.
type judgement struct {
	accepted []accepted
	// refused has a typed error for each member that is not accepted, by its place in the group.
	refused map[int]error
	// streams are those the accepted members write, sorted by name.
	streams []*groupStream
}

type accepted struct {
	place int
	*pending
	additions []addition
}

// addition is what one member adds to one stream: versions base+before+1 to base+after.
type addition struct {
	*groupStream
	before, after Version
}

// groupStream is one stream within a group.
type groupStream struct {
	stream string
	slice  int16
	// base is the version before the group; unknown until the database or an expectation says.
	base  Version
	added Version
	// required: an accepted member expects something of base.
	required bool
	// place is the index in judgement.streams.
	place int
}

const unknown Version = -1

// judge decides the members of a group in order, each seeing what the accepted ones before it add. bases are the known
// versions; a stream without one is taken to be where the first expectation puts it, which the caller then has to check.
// held is what is taken of quotas, and grows; nil: claims are not looked at.
func judge(group []*pending, bases map[string]Version, used func(*Key) bool, held map[string]holding) judgement {
	j := judgement{refused: map[int]error{}}
	g := judging{
		bases: bases, used: used, held: held,
		streams: map[string]*groupStream{}, ids: map[uuid.UUID]bool{}, keys: map[[2]string]bool{}, void: streamSet{},
	}
	for place, p := range group {
		additions, copies, err := g.consider(p)
		if err != nil {
			j.refused[place] = err
			if p.chained {
				g.void.add(p)
			}
			continue
		}
		for i, t := range copies {
			*additions[i].groupStream = *t
		}
		g.remember(p, len(group) > 1)
		j.accepted = append(j.accepted, accepted{place: place, pending: p, additions: additions})
	}
	written := map[*groupStream]bool{}
	for _, a := range j.accepted {
		for _, add := range a.additions {
			if !written[add.groupStream] {
				written[add.groupStream] = true
				j.streams = append(j.streams, add.groupStream)
			}
		}
	}
	slices.SortFunc(j.streams, func(a, b *groupStream) int { return cmp.Compare(a.stream, b.stream) })
	for i, t := range j.streams {
		t.place = i
	}
	return j
}

// judging is what the members of a group are judged by.
type judging struct {
	bases map[string]Version
	used  func(*Key) bool
	// held is what is taken of quotas, and grows; nil: claims are not looked at.
	held map[string]holding
	// streams, ids and keys are those of the members accepted so far; streams also has those looked at.
	streams map[string]*groupStream
	ids     map[uuid.UUID]bool
	keys    map[[2]string]bool
	// void are streams of refused members: who was decided over what those would have written is refused too.
	void streamSet
}

// consider says what a member adds to which streams, with copies of these as they would be then, or why it is refused.
// Changes stay on the copies until the whole member is accepted.
func (g *judging) consider(p *pending) (additions []addition, copies []*groupStream, err error) {
	for i, k := range p.keys {
		same := func(other *Key) bool { return other.Scope == k.Scope && other.Key == k.Key }
		if g.used(k) || g.keys[[2]string{k.Scope, k.Key}] || slices.ContainsFunc(p.keys[:i], same) {
			return nil, nil, &KeyUsed{Key: *k}
		}
	}
	for w := range p.writes {
		pw := &p.writes[w]
		last := len(copies) - 1
		if last < 0 || copies[last].stream != pw.stream { // writes are sorted: those of one stream stand together
			t := g.stream(pw)
			copied := *t
			additions = append(additions, addition{groupStream: t, before: t.added})
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
			if p.chained && g.void[pw.stream] {
				return nil, nil, &VersionConflict{Stream: pw.stream, Expected: pw.expected, Actual: t.base + t.added}
			}
			t.required = true
		}
		t.added += Version(len(pw.rows))
		additions[last].after = t.added
		for r := range pw.rows {
			if id := pw.rows[r].id; g.ids[id] {
				return nil, nil, &DuplicateEvent{ID: id}
			}
		}
	}
	if g.held != nil && len(p.claims) > 0 {
		with := maps.Clone(g.held)
		if full := fit(p.claims, with); len(full) > 0 {
			return nil, nil, &QuotaFull{Claims: full}
		}
		maps.Copy(g.held, with)
	}
	return additions, copies, nil
}

// stream is the one a write is to, as the accepted members leave it.
func (g *judging) stream(pw *pendingWrite) *groupStream {
	t := g.streams[pw.stream]
	if t == nil {
		base, known := g.bases[pw.stream]
		if !known {
			base = unknown
		}
		t = &groupStream{stream: pw.stream, slice: pw.slice, base: base}
		g.streams[pw.stream] = t
	}
	return t
}

// remember takes note of an accepted member's keys, and of its events' ids if others come after it.
func (g *judging) remember(p *pending, withIDs bool) {
	for _, k := range p.keys {
		g.keys[[2]string{k.Scope, k.Key}] = true
	}
	if !withIDs {
		return
	}
	for w := range p.writes {
		for r := range p.writes[w].rows {
			g.ids[p.writes[w].rows[r].id] = true
		}
	}
}

// verdict turns a judgement whose bases are true, and the positions of its events in order, into the members' answers.
func (j judgement) verdict(size int, positions []int64) []answer {
	answers := j.refusals(size)
	for _, a := range j.accepted {
		done := Appended{Versions: make(map[string]Version, len(a.additions))}
		for _, add := range a.additions {
			done.Versions[add.stream] = add.base + add.after
		}
		if a.events > 0 {
			done.Position = Position(positions[a.events-1])
			positions = positions[a.events:]
		}
		answers[a.place].appended = done
	}
	return answers
}

// refusals are the answers as far as they are known before the positions are.
func (j judgement) refusals(size int) []answer {
	answers := make([]answer, size)
	for place, err := range j.refused {
		answers[place].err = err
	}
	return answers
}
