package feed

import (
	"context"
	"errors"
	"time"

	"shop/eventstore"
)

// Checkpoints remember how far consumers have come, who works on what, and what could not be handled. The tables beside
// the log are one (PostgreSQL), package memory has another.
//
//	what may happen                     what Checkpoints guarantee
//	two processes move the same place   the place and term of Move are compared: one wins, the other gets ErrMoved
//	a lease was lost in the middle      its term is old: ErrMoved, and nothing is kept
//	a consumer is paused                Transact gets ErrMoved; Save may still pass what nobody wants
//	work fails                          nothing of the transaction is kept, neither writes nor the move
//	a part of the work fails            what was tried in Tx.Attempt is gone, the rest of the transaction goes on
//	the answer to a commit is lost      an error; Read tells what came of it
//	a process dies                      its leases run out by the clock of the Checkpoints, and others take them
//	a crash of the Checkpoints          may take back the last moves, each only together with what was written beside it
//	a signal is lost                    nothing: the feed reads by itself every second, and more often while it hears nothing
type Checkpoints interface {
	// Declare makes the checkpoints of consumers that have none, at the beginning of the log. Those of a lower revision get the
	// declared one: their holders lose them.
	Declare(ctx context.Context, consumers []Declaration) error
	// Read tells of all ranges of consumers.
	Read(ctx context.Context, consumers []string) (map[Place]Standing, error)
	// Transact moves places of one consumer and does work in one transaction. It returns ErrMoved, before the work, when a
	// place is not where the move says, and the error of the work.
	Transact(ctx context.Context, moves []Move, work func(ctx context.Context, tx Tx) error) error
	// Save moves places past events that nobody wants, and says which were still where the move says.
	Save(ctx context.Context, moves []Move) ([]Place, error)
	// Retries are the parked events of a place that an operator wants to be tried again, with all others of their streams.
	Retries(ctx context.Context, at Place, limit int) ([]eventstore.Position, error)
	// Reached says whether a consumer has handled what it wants up to a position, and whether it is paused. It returns
	// *UnknownConsumer.
	Reached(ctx context.Context, consumer string, p eventstore.Position) (reached, paused bool, err error)
	// Transient says that a failure was not the event's: another attempt may succeed.
	Transient(err error) bool
	Leases
}

// Leases decide which process works on what.
type Leases interface {
	// Join begins a session of this process, which must not wait behind other work.
	Join(ctx context.Context) (Session, error)
	// Release gives a place up for other processes, with the move of its checkpoint; false: it was not the holder's.
	Release(ctx context.Context, holder string, m Move) (bool, error)
	// Leave gives up all that a process holds, and says how much that was.
	Leave(ctx context.Context, holder string) (leases int, err error)
	// Listen tells what other processes did, until ctx ends or the connection does. What holder published is not told.
	Listen(ctx context.Context, holder string, hear func(Signal)) error
}

// Session is a connection that keeps the leases of a process.
type Session interface {
	// Renew makes the process live on, or known, and tells who lives and who holds what.
	Renew(ctx context.Context, m Member) (View, error)
	// Take takes shares whose holders do not live.
	Take(ctx context.Context, holder string, shares []Share, lease time.Duration) (Taken, error)
	// Free gives a singleton job's lease up.
	Free(ctx context.Context, job, holder string) error
	// Forget removes processes that ended long ago without a word.
	Forget(ctx context.Context) error
	// Publish tells other processes how far places have come.
	Publish(ctx context.Context, holder string, moved []Progress) error
	Close()
}

// Tx is a transaction of Checkpoints. Outside PostgreSQL it is what Consumer.HandleIn gets.
type Tx interface {
	// Attempt runs work so that, when it fails, what it wrote is gone and the transaction goes on.
	Attempt(ctx context.Context, work func(ctx context.Context, tx Tx) error) error
	// Parked are the streams of a place that have dead letters.
	Parked(ctx context.Context, at Place) ([]string, error)
	// StillParked are those of some positions of a place that are dead letters now.
	StillParked(ctx context.Context, at Place, positions []eventstore.Position) ([]eventstore.Position, error)
	// Park keeps dead letters of a place.
	Park(ctx context.Context, at Place, letters []Letter) error
	// Settle keeps what came of another attempt at dead letters.
	Settle(ctx context.Context, consumer string, s Settlement) error
}

// ErrMoved: the checkpoint is not where this process left it. Another process, a pause or a reset moved it.
var ErrMoved = errors.New("the checkpoint was moved elsewhere")

// Declaration introduces a consumer to the Checkpoints.
type Declaration struct {
	Consumer string
	// Types are sorted; none: all.
	Types   []string
	Edition string
	// Revision is the Edition's number; 0: it has none.
	Revision int
}

// Place is a range of a consumer.
type Place struct {
	Consumer string
	Range    int
}

// Standing is what is known of a place.
type Standing struct {
	Position eventstore.Position
	// Term grows with every change of holder, and whenever the place was moved by somebody else.
	Term    int64
	Paused  bool
	Edition string
	// Holder is the process that has the lease, or had it last; empty: it is free.
	Holder string
	// Parked are the streams with dead letters; Retry: some are to be tried again.
	Parked map[string]bool
	Retry  bool
}

// Move sends a place from one position to another under a term.
type Move struct {
	Place
	From, To eventstore.Position
	Term     int64
	// Rate is the events a second handled of late, for operators.
	Rate float32
}

// Letter is a dead letter to be: an event that failed, or, with an empty Error, one that waits behind it.
type Letter struct {
	Position eventstore.Position
	Stream   string
	Error    string
}

// Settlement is what came of another attempt at dead letters.
type Settlement struct {
	// Done were handled, and are dead letters no more.
	Done []eventstore.Position
	// Mended are the streams in which nothing failed; there may be more letters of them to try.
	Mended []string
	// Failed are those that failed again; their streams wait for the next request.
	Failed []Letter
}

// Share is what a process can hold: a consumer's range, or the lease of a singleton job (with the range JobShare).
type Share struct {
	Name   string
	Number int
	Holder string
}

// JobShare is the number of a singleton job's share.
const JobShare = -1

// Member is a process that renews its leases.
type Member struct {
	Holder string
	Roles  []string
	// Can are the names of what it is able to hold; Jobs are those among them that are singleton jobs.
	Can, Jobs []string
	Lease     time.Duration
	// New: the others shall look, and share.
	New bool
}

// View is what a process sees of all of them.
type View struct {
	// Live are those whose leases run, in the order of their start.
	Live   []LiveProcess
	Shares []Share
	// Forgotten: some ended long ago without a word.
	Forgotten bool
}

// LiveProcess is a process as the balance of shares sees it.
type LiveProcess struct {
	Holder string
	// Can are the names of what it is able to hold.
	Can []string
	// Left is how long its leases run.
	Left time.Duration
}

// Taken is what a process took: shares with those who held them before.
type Taken struct {
	Shares []Share
	// Ended counts transactions of silent holders that were ended because they kept ranges locked.
	Ended int
}

// Progress is where a place stands under a term.
type Progress struct {
	Consumer string              `json:"c"`
	Range    int                 `json:"r"`
	Term     int64               `json:"t"`
	Position eventstore.Position `json:"p"`
}

// Signal is what was heard of other processes.
type Signal struct {
	Kind SignalKind
	// Moved is how far places have come, of a Progressed.
	Moved []Progress
}

// SignalKind is what a Signal is about.
type SignalKind int

// What is heard: that the connection stands, that something about consumers was changed, that leases became free, and how
// far others have come.
const (
	Connected SignalKind = iota
	Changed
	Freed
	Progressed
)
