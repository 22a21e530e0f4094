package changes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/eventstore"
	"shop/eventstore/registry"
)

// Pending is what a change would do now.
type Pending struct {
	change.State
	// Events are those that it would append beside its own, as the log would give them back. Their positions are beyond every position of
	// the log.
	Events []eventstore.Event
	// Left counts the items that would not be as the change wants them.
	Left int
}

// beyond is a position that no log reaches.
const beyond eventstore.Position = 1 << 62

// Pending decides what is left of a change as applying it would, whoever still has to approve it, at the time when it begins, and writes
// nothing. A change of which nothing is left is refused with change.ErrNoPreview.
func (c *Changes) Pending(ctx context.Context, id domain.ID) (Pending, error) {
	s, err := c.Show(ctx, id)
	if err == nil && !s.IsPending() {
		err = change.ErrNoPreview
	}
	if err != nil {
		return Pending{}, fmt.Errorf("preview change %s: %w", id, err)
	}
	out := Pending{State: s}
	decided := &unwritten{Log: c.Stored}
	at := c.Handler.Now()
	if s.StartsAt.After(at) {
		at = s.StartsAt
	}
	handler := commands.New(decided, commands.Options{Clock: func() time.Time { return at }, NewID: c.Handler.NewID, Cached: 1})
	_, err = handler.Do(caused(ctx, id), false, func(u *commands.Unit) error {
		decided.appends, out.Left = nil, 0
		results, err := c.foresee(u, s)
		for _, r := range results {
			if r.Outcome == change.Conflict || r.Outcome == change.Refused {
				out.Left++
			}
		}
		return err
	})
	if err == nil {
		out.Events, err = decided.events()
	}
	if err != nil {
		return Pending{}, fmt.Errorf("preview change %s: %w", id, err)
	}
	return out, nil
}

// foresee decides the items that are left, once what ends before the change begins has ended, such as the price of a sale.
func (c *Changes) foresee(u *commands.Unit, s change.State) ([]change.Result, error) {
	items := s.ToApply(len(s.List))
	fields := make([]*Field, len(items))
	var refs []commands.Ref
	for i, item := range items {
		_, f, err := c.Fields.of(item.Thing, item.Field)
		if err != nil || f.later == nil || s.StartsAt.IsZero() {
			continue
		}
		if needed, err := f.streams(item.ID, item.Now); err == nil {
			fields[i], refs = f, append(refs, needed...)
		}
	}
	if err := u.Load(refs...); err != nil {
		return nil, err
	}
	for i, f := range fields {
		if f == nil || f.holder == nil || f.holder(u, items[i].ID) == (domain.ID{}) {
			continue
		}
		back, err := f.later(u, items[i].ID, s.StartsAt)
		if err == nil {
			err = f.set(u, items[i].ID, back, setting{id: items[i].ID})
		}
		if err != nil { // it is held at that time too
			if _, err := refused(err); err != nil {
				return nil, err
			}
		}
	}
	return c.move(u, s.ID, s, items, func(i int) (from, to []byte) { return items[i].Was, items[i].Now }, nil)
}

// unwritten is a log that keeps what is appended to itself.
type unwritten struct {
	commands.Log
	appends []eventstore.Append
}

// errUnwritten: only Append is known to write nothing.
var errUnwritten = errors.New("nothing is written for a preview")

func (l *unwritten) Append(_ context.Context, together ...eventstore.Append) (eventstore.Appended, error) {
	l.appends = append(l.appends, together...)
	return eventstore.Appended{}, nil
}

func (l *unwritten) AppendEach(_ context.Context, appends ...eventstore.Append) []eventstore.Result {
	results := make([]eventstore.Result, len(appends))
	for i := range results {
		results[i].Err = errUnwritten
	}
	return results
}

func (l *unwritten) AppendLocked(context.Context, eventstore.Lock, func(context.Context, eventstore.Locked) []eventstore.Append) ([]eventstore.Result, error) {
	return nil, errUnwritten
}

// events are what was appended, through the form in which the log keeps it.
func (l *unwritten) events() (all []eventstore.Event, err error) {
	stored := registry.New()
	for _, a := range l.appends {
		for _, w := range a.Writes {
			for i, e := range w.Events {
				kept, err := stored.Encode(e.Data)
				if err != nil {
					return nil, fmt.Errorf("encode an event of %s: %w", w.Stream, err)
				}
				data, err := stored.Decode(kept.Type, kept.Schema, kept.Payload)
				if err != nil {
					return nil, fmt.Errorf("decode an event of %s: %w", w.Stream, err)
				}
				all = append(all, eventstore.Event{
					ID: uuid.New(), Stream: w.Stream, Slice: eventstore.SliceOf(w.Stream), Version: w.Expected + eventstore.Version(i) + 1,
					Position: beyond + eventstore.Position(len(all)), Type: kept.Type, Schema: kept.Schema, RecordedAt: a.At, Metadata: a.Metadata, Data: data,
				})
			}
		}
	}
	return all, nil
}
