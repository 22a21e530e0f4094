package feed_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"shop/eventstore/check"
)

// The checkpoint's protocol as a model: two processes work one range of one consumer, of which one should, by a lease
// that runs out whenever it likes, also under a process that does not notice. Each handles batches in transactions, may
// be killed between any two steps, and may never hear that its commit came through.
//
//	take the lease, when it is free or has run out     handle a batch
//	1 the lease's term grows, and the checkpoint's      1 read events above the place one knows
//	  with it, in one transaction                       2 move the checkpoint if it stands at that place and at
//	2 read the checkpoint: this is one's place            one's own term; its row stays locked
//	                                                    3 write what the events change
//	                                                    4 commit
//
// The position in the comparison protects from one's own lost answers, the term from the one who lost the lease.

const (
	processes = 2
	events    = 3 // in the log, all visible
	maxTerm   = 4
	maxKills  = 2
)

// table is the database: what is committed, and who holds the checkpoint's row.
type table struct {
	position, term int8 // of the checkpoint
	lease          int8 // its term; 0: nobody ever had it
	holder         int8 // 1 and 2; 0: it has run out
	lockedBy       int8 // whose transaction moved the checkpoint, 1 and 2; 0: nobody's
	applied        [events]int8
	processes      [processes]process
	kills          int8
	late           bool // a process wrote after another one's lease had begun
}

type process struct {
	at   int8
	term int8 // of the lease it believes to hold; 0: none
	// place is where it believes the checkpoint stands, read the event it has read, counting from 1.
	place, read int8
	// wrote is what its transaction wrote and did not commit.
	wrote bool
}

// rule is the protocol, or one of its mistakes.
type rule struct {
	noTerm, noPlace     bool // left out of the comparison
	termStays           bool // taking the lease does not raise the checkpoint's term
	apart, movedFirst   bool // what is written and the checkpoint are transactions of their own
	goesOnAfterNoAnswer bool // does not read its place again when it does not know how a commit went
}

func (r rule) moves(t table) (all []check.Move[table]) {
	to := func(who int, did string, n table) {
		all = append(all, check.Move[table]{Who: fmt.Sprint("process ", who+1), Did: did, To: n})
	}
	if t.holder != 0 {
		n := t
		n.holder = 0
		all = append(all, check.Move[table]{Who: "the lease", Did: "runs out", To: n})
	}
	for i, p := range t.processes {
		me := int8(i + 1)
		if t.kills < maxKills && p != (process{}) {
			n := t
			n.kills++
			n.processes[i] = process{}
			if n.lockedBy == me {
				n.lockedBy = 0 // its transaction is rolled back
			}
			to(i, "is killed", n)
		}
		n := t
		q := &n.processes[i]
		switch p.at {
		case 0: // without a lease, or with one it believes in
			if t.holder == 0 && t.lease < maxTerm && (t.lockedBy == 0 || r.termStays) {
				n.lease++
				n.holder, q.term = me, n.lease
				if !r.termStays {
					n.term = n.lease
				}
				q.place = n.position
				to(i, "takes the lease and reads its place", n)
			}
			if p.term > 0 && p.place < events {
				n := t
				q := &n.processes[i]
				q.read, q.at = p.place+1, 1
				to(i, "reads the next event", n)
			}
		case 1:
			if t.lockedBy != 0 {
				continue // waits for the row
			}
			if !r.noTerm && t.term != p.term && !r.termStays || !r.noPlace && t.position != p.place {
				q.at, q.term, q.place, q.read = 0, 0, 0, 0 // moved elsewhere: it believes in nothing any more
				to(i, "finds the checkpoint moved", n)
				continue
			}
			n.lockedBy, q.at = me, 2
			to(i, "moves the checkpoint", n)
			if r.apart {
				n := t
				n.write(i)
				n.processes[i].wrote, n.processes[i].at = true, 2
				to(i, "writes, and commits that alone", n)
			}
			if r.movedFirst {
				n := t
				n.position, n.processes[i].wrote, n.processes[i].at = p.read, true, 3
				to(i, "moves the checkpoint, and commits that alone", n)
			}
		case 2, 3:
			if p.at == 2 && !(r.apart && p.wrote) || p.at == 3 {
				n.write(i)
			}
			if p.at == 2 {
				n.position = p.read
			}
			if n.lockedBy == me {
				n.lockedBy = 0
			}
			*q = process{term: p.term, place: p.read}
			to(i, "writes and commits", n)
			// The same, without hearing of it; the place is read again, unless a mistake is made of it.
			q.place = n.position
			if r.goesOnAfterNoAnswer {
				q.place = p.place
			}
			to(i, "writes and commits, and hears no answer", n)
			// Or the connection broke before.
			undone := t
			if undone.lockedBy == me {
				undone.lockedBy = 0
			}
			undone.processes[i] = process{term: p.term, place: undone.position}
			if r.goesOnAfterNoAnswer {
				undone.processes[i].place = p.place
			}
			to(i, "loses its connection", undone)
		}
	}
	return all
}

// write applies the event a process has read.
func (t *table) write(i int) {
	p := t.processes[i]
	t.applied[p.read-1]++
	// With the term in the comparison, who takes the lease waits for this transaction or voids it.
	t.late = t.late || t.lease > p.term
}

func (t table) judge() string {
	var before int8 = 1
	for _, n := range t.applied {
		switch {
		case n > 1:
			return "an event was applied twice"
		case n > before:
			return "an event was applied before the one it follows"
		}
		before = n
	}
	if t.position > 0 && t.lockedBy == 0 && t.applied[t.position-1] == 0 && t.resting() {
		return "the checkpoint passed an event that was not applied"
	}
	return ""
}

// judgeFenced also wants that nobody writes whose lease another one has taken.
func (t table) judgeFenced() string {
	if said := t.judge(); said != "" || !t.late {
		return said
	}
	return "who had lost the lease wrote"
}

// resting: nobody is in the middle of a batch.
func (t table) resting() bool {
	return !slices.ContainsFunc(t.processes[:], func(p process) bool { return p.at > 0 })
}

func (t table) String() string {
	s := fmt.Sprintf("checkpoint %d term %d, lease %d of %d, applied %v", t.position, t.term, t.lease, t.holder, t.applied)
	for i, p := range t.processes {
		s += fmt.Sprintf("; %d: term %d place %d", i+1, p.term, p.place)
	}
	return s
}

func TestCheckpointsAreExactlyOnceUnderTakeover(t *testing.T) {
	t.Parallel()
	ended := false
	found, way, states := check.Walk(table{}, rule{}.moves, func(t table) string {
		ended = ended || t.position == events
		return t.judgeFenced()
	})
	if found != "" {
		t.Fatalf("%s:\n%s", found, strings.Join(way, "\n"))
	}
	t.Logf("%d states", states)
	if states < 1000 || !ended {
		t.Errorf("%d states were walked, the end reached: %v", states, ended)
	}
}

func TestEveryRuleOfTheCheckpointIsNeeded(t *testing.T) {
	t.Parallel()
	for name, v := range map[string]struct {
		rule  rule
		judge func(table) string
		want  string
	}{
		"term not compared":               {rule{noTerm: true}, table.judgeFenced, "who had lost the lease wrote"},
		"term not raised with the lease":  {rule{termStays: true}, table.judgeFenced, "who had lost the lease wrote"},
		"neither term nor place compared": {rule{noTerm: true, noPlace: true}, table.judge, "an event was applied twice"},
		"place not compared, no answer":   {rule{noPlace: true, goesOnAfterNoAnswer: true}, table.judge, "an event was applied twice"},
		"written apart from checkpoint":   {rule{apart: true}, table.judge, "an event was applied twice"},
		"checkpoint moved, written later": {rule{movedFirst: true}, table.judge, "the checkpoint passed an event that was not applied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found, way, states := check.Walk(table{}, v.rule.moves, v.judge)
			if !strings.HasPrefix(found, v.want) {
				t.Fatalf("the model finds %q in %d states, want %q: it proves nothing", found, states, v.want)
			}
			t.Logf("%s, after\n%s", found, strings.Join(way, "\n"))
		})
	}
	// The place alone makes up for a lost answer, even for a process that goes on as if nothing had been.
	if found, _, _ := check.Walk(table{}, rule{goesOnAfterNoAnswer: true}.moves, table.judge); found != "" {
		t.Errorf("going on after a lost answer: %s", found)
	}
}
