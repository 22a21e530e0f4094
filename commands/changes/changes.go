package changes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"shop/commands"
	"shop/domain"
	"shop/domain/change"
	"shop/domain/staff"
	"shop/eventstore"
)

const (
	// together is how many items one append changes that are too large for one append of all.
	together = 200
	// atOnce is how large, in bytes, the values of a change may be that one append applies whole. 20 000 prices have some 2 MB.
	atOnce = 8 << 20
)

// most is how many items of a change one append sets. Where they are small it is all of them: whoever reads several things at one
// moment sees the whole change or nothing of it, so that no order mixes old and new prices.
func most(s change.State) int {
	size := 0
	for _, item := range s.List {
		size += len(item.Was) + len(item.Now)
	}
	if size > atOnce {
		return together
	}
	return change.MaxItems
}

// Changes carries changes out.
type Changes struct {
	Handler *commands.Handler
	Fields  Registry
	// Links is nil where claims alone keep links apart.
	Links Links
	// Tree is nil where nobody says which categories are below others.
	Tree Tree
	// Plans is nil where changes with a time do not know each other.
	Plans Plans
	// Effects measure what changes would do.
	Effects Effects
	// Happened is nil where nobody says what happened since a change.
	Happened Happened
	// Stored is the log that previews decide over. They write nothing to it.
	Stored commands.Log
}

// Proposal is a change that somebody wants.
type Proposal struct {
	Title, Reason string
	Items         []Asked
	// Partly: what cannot be as asked is left, and told. Else nothing is changed then.
	Partly bool
	// StartsAt zero: at once. EndsAt zero: it stays.
	StartsAt, EndsAt time.Time
	Report           domain.ID
	// Draft: what would be applied at once waits until whoever proposes it has looked at it, and applies it.
	Draft bool
	// EffectDays is the span of the effect that the change is to keep; 0: none.
	EffectDays int
	// May says what the person may do.
	May func(staff.Permission) bool
	// Tell hears which share of the items is checked: 1 right before the first append, until when ctx can stop the change. nil: nobody does.
	Tell func(share float64)

	// id is chosen by whoever asks where it is not zero; fresh: it is new, so nothing can be there.
	id     domain.ID
	fresh  bool
	undoes domain.ID
	// numbers are those of the items that an undo takes back.
	numbers []int
	// changed are the items that an undo leaves whatever they are now: somebody set them while the change was in force.
	changed map[int]bool
	// taken are the items whose link is another thing's, deep those that would give the categories a third level.
	taken, deep map[int]bool
	// held are the items that another change with a time holds.
	held map[int]Hold
	// effect is what the change keeps; nil: nothing.
	effect *change.Effect
}

// Answer is what became of a change.
type Answer struct {
	// ID is zero where there is none, as after a dry run.
	ID     domain.ID
	Status change.Status
	// Needs are why a second person has to approve it.
	Needs []string
	// Because says how far it goes beyond which rule.
	Because []change.Need
	// Rows are what became of what was asked, or would.
	Rows     []Row
	Position eventstore.Position
}

// DryRun answers what a change would do, and changes nothing.
func (c *Changes) DryRun(ctx context.Context, p Proposal) (Answer, error) {
	out, needs, err := c.try(ctx, &p)
	if err != nil {
		return Answer{}, err
	}
	return Answer{Needs: names(needs), Because: needs, Rows: out.rows}, nil
}

// try checks a proposal and writes nothing.
func (c *Changes) try(ctx context.Context, p *Proposal) (out *checked, needs []change.Need, err error) {
	if err := c.learn(ctx, p); err != nil {
		return nil, nil, err
	}
	p.id = c.Handler.NewID()
	_, err = c.Handler.Do(ctx, false, func(u *commands.Unit) error {
		terms, err := approval(u)
		if err != nil {
			return err
		}
		if out, err = c.check(u, p); err != nil {
			return err
		}
		if needs, err = c.needs(u, out, terms); err != nil {
			return err
		}
		return commands.ErrDryRun
	})
	if !errors.Is(err, commands.ErrDryRun) {
		return nil, nil, fmt.Errorf("try a change of %d items: %w", len(p.Items), err)
	}
	return out, needs, nil
}

// learn asks the read side what the decision needs.
func (c *Changes) learn(ctx context.Context, p *Proposal) (err error) {
	if p.taken, err = c.taken(ctx, p.Items); err != nil {
		return err
	}
	if p.deep, err = c.tooDeep(ctx, p.Items); err != nil {
		return err
	}
	p.held, err = c.held(ctx, p)
	return err
}

// Propose makes a change, and applies it when nothing speaks against that. It answers *Refused when items cannot be as asked.
func (c *Changes) Propose(ctx context.Context, p Proposal) (Answer, error) {
	if p.EffectDays != 0 {
		effect, err := c.Effect(ctx, p, p.EffectDays)
		if err != nil {
			return Answer{}, err
		}
		p.effect = &effect
	}
	if p.id == (domain.ID{}) {
		p.id, p.fresh = c.Handler.NewID(), true
	}
	ctx = caused(ctx, p.id)
	if err := c.learn(ctx, &p); err != nil {
		return Answer{}, err
	}
	var out *checked
	var needs []change.Need
	var whole bool
	position, err := c.Handler.Do(ctx, false, func(u *commands.Unit) (err error) {
		terms, err := approval(u)
		if err != nil {
			return err
		}
		if out, err = c.check(u, &p); err != nil {
			return err
		}
		if out.bad > 0 && !p.Partly || out.done == 0 {
			return &Refused{out.rows, out.bad}
		}
		if needs, err = c.needs(u, out, terms); err != nil {
			return err
		}
		if p.Draft && len(needs) == 0 && p.StartsAt.IsZero() {
			needs = []change.Need{{Rule: change.Draft}}
		}
		// The whole change is one append where it can be.
		if whole = len(needs) == 0 && p.StartsAt.IsZero() && len(out.items) <= together; !whole {
			return commands.ErrDryRun
		}
		p.told(1)
		if err := c.propose(ctx, u, p, out.items, nil); err != nil {
			return err
		}
		return c.record(u, p.id, out.results)
	})
	switch {
	case err == nil:
		return c.answer(ctx, p.id, out, position)
	case whole || !errors.Is(err, commands.ErrDryRun):
		return Answer{}, fmt.Errorf("propose a change: %w", err)
	}
	p.told(1)
	position, err = c.Handler.Do(ctx, false, func(u *commands.Unit) error { return c.propose(ctx, u, p, out.items, needs) })
	if err != nil {
		return Answer{}, fmt.Errorf("propose a change: %w", err)
	}
	if len(needs) == 0 && p.StartsAt.IsZero() {
		if position, err = c.Apply(ctx, p.id); err != nil {
			return Answer{}, err
		}
	}
	return c.answer(ctx, p.id, out, position)
}

func (p *Proposal) told(share float64) {
	if p.Tell != nil {
		p.Tell(share)
	}
}

// propose decides the change itself.
func (c *Changes) propose(ctx context.Context, u *commands.Unit, p Proposal, items []change.Item, needs []change.Need) error {
	stream := commands.ChangeStream(p.id)
	if p.fresh {
		u.New(stream)
	} else if err := u.Load(stream); err != nil {
		return err
	}
	by := commands.OriginOf(ctx).Actor
	err := stream.Do(u, change.Propose{
		ID: p.id, Title: p.Title, Reason: p.Reason, By: by, Items: items, Needs: names(needs), Because: needs,
		StartsAt: p.StartsAt, EndsAt: p.EndsAt, Undoes: p.undoes, Report: p.Report, At: u.At(),
	})
	if err != nil || p.effect == nil {
		return err
	}
	return stream.Do(u, change.Measure{By: by, Effect: *p.effect, At: u.At()})
}

// record decides results of a change that is loaded. The last ones tell the change that it takes back.
func (c *Changes) record(u *commands.Unit, id domain.ID, results []change.Result) error {
	stream := commands.ChangeStream(id)
	if err := stream.Do(u, change.Apply{Results: results, At: u.At()}); err != nil {
		return err
	}
	s := stream.State(u)
	if s.Undoes == (domain.ID{}) || s.Status == change.Applying {
		return nil
	}
	undone := commands.ChangeStream(s.Undoes)
	if err := u.Load(undone); err != nil {
		return err
	}
	err := undone.Do(u, change.Undo{By: id, At: u.At()})
	if errors.Is(err, change.ErrAllBack) || len(s.Applied) > len(results) && errors.Is(err, change.ErrUndone) {
		return nil // its end came first, or it was undone in batches beside somebody else
	}
	return err
}

// answer is how a change stands, with the rows it was made of.
func (c *Changes) answer(ctx context.Context, id domain.ID, out *checked, position eventstore.Position) (Answer, error) {
	s, err := c.Show(ctx, id)
	if err != nil {
		return Answer{}, err
	}
	for i := range out.rows {
		if n := out.rows[i].item; n >= 0 && n < len(s.Applied) && out.rows[i].Outcome != change.Same {
			out.rows[i].Result = s.Applied[n]
		}
	}
	return Answer{ID: id, Status: s.Status, Needs: s.Needs, Because: s.Because, Rows: out.rows, Position: position}, nil
}

// Show is a change as it stands.
func (c *Changes) Show(ctx context.Context, id domain.ID) (change.State, error) {
	s, err := commands.See(ctx, c.Handler, commands.ChangeStream(id))
	if err == nil && !s.Exists() {
		err = change.ErrUnknown
	}
	return s, err
}

// caused lets the events of a change name it.
func caused(ctx context.Context, id domain.ID) context.Context {
	origin := commands.OriginOf(ctx)
	origin.Causation = "change:" + id.String()
	return commands.WithOrigin(ctx, origin)
}

// Apply applies what is left of a change, in one append where that is not too large, else in appends of some items each with their
// results: what a process does not finish, another goes on with. Its events are of the person who proposed it.
func (c *Changes) Apply(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return c.walk(ctx, id, "apply", func(u *commands.Unit, s change.State) (bool, error) {
		items := s.ToApply(most(s))
		results, err := c.move(u, id, s, items, func(i int) (from, to []byte) { return items[i].Was, items[i].Now }, nil)
		if err != nil {
			return false, err
		}
		return len(s.Applied)+len(items) == len(s.List), c.record(u, id, results)
	})
}

// End puts back what a change set for a while, except what somebody changed since.
func (c *Changes) End(ctx context.Context, id domain.ID) (eventstore.Position, error) {
	return c.walk(ctx, id, "end", func(u *commands.Unit, s change.State) (bool, error) {
		items, first := s.ToEnd(most(s)), len(s.Ended)
		results, err := c.move(u, id, s, items, func(i int) (from, to []byte) { return items[i].Now, items[i].Was },
			func(i int) bool { return s.Applied[first+i].Outcome == change.Done })
		if err != nil {
			return false, err
		}
		return first+len(items) == len(s.List), commands.ChangeStream(id).Do(u, change.End{Results: results, At: u.At()})
	})
}

// walk carries a change on, step by step, until the step says that it was the last.
func (c *Changes) walk(ctx context.Context, id domain.ID, what string, step func(u *commands.Unit, s change.State) (bool, error)) (last eventstore.Position, err error) {
	s, err := c.Show(ctx, id)
	if err != nil {
		return 0, fmt.Errorf("%s change %s: %w", what, id, err)
	}
	origin := commands.OriginOf(ctx)
	origin.Actor = s.By
	ctx = caused(commands.WithOrigin(ctx, origin), id)
	for over := false; !over; {
		position, err := c.Handler.Do(ctx, false, func(u *commands.Unit) error {
			stream := commands.ChangeStream(id)
			if err := u.Load(stream); err != nil {
				return err
			}
			over, err = step(u, stream.State(u))
			return err
		})
		if err != nil {
			return last, fmt.Errorf("%s change %s: %w", what, id, err)
		}
		last = max(last, position)
	}
	return last, nil
}

// move sets items from one value to another. Those that ours refuses are none of the change's; nil: all are.
func (c *Changes) move(
	u *commands.Unit, id domain.ID, s change.State, items []change.Item, values func(i int) (from, to []byte), ours func(i int) bool,
) ([]change.Result, error) {
	ends := s.Status == change.Running || s.Status == change.Ending
	until := s.EndsAt
	if ends {
		until = time.Time{}
	}
	var refs []commands.Ref
	results := make([]change.Result, len(items))
	fields := make([]*Field, len(items))
	for i, item := range items {
		if ours != nil && !ours(i) {
			results[i].Outcome = change.Same
			continue
		}
		_, to := values(i)
		_, f, err := c.Fields.of(item.Thing, item.Field)
		if err == nil {
			var needed []commands.Ref
			if needed, err = f.streams(item.ID, to); err == nil {
				fields[i], refs = f, append(refs, needed...)
				continue
			}
		}
		if results[i], err = refused(err); err != nil {
			return nil, err
		}
	}
	if err := u.Load(refs...); err != nil {
		return nil, err
	}
	for i, item := range items {
		if fields[i] == nil {
			continue
		}
		from, to := values(i)
		if fields[i].strange(u, s, item.ID, ends) {
			from = nil // it is as this change left it by chance
		}
		var result change.Result
		var err error
		if by := (setting{id, item.ID, s.Reason, until}); fields[i].shift != nil {
			result, err = fields[i].step(u, item.ID, from, to, by)
		} else {
			result, err = fields[i].move(u, item.ID, from, to, by)
		}
		if err != nil {
			if result, err = refused(err); err != nil {
				return nil, err
			}
		}
		results[i] = result
	}
	return results, nil
}

// move sets a field to a value unless it has neither that nor the one it is to come from.
func (f *Field) move(u *commands.Unit, id string, from, to []byte, by setting) (change.Result, error) {
	present, err := f.read(u, id)
	switch {
	case err != nil:
		return change.Result{}, err
	case f.holds(present, to):
		return change.Result{Outcome: change.Same}, nil
	case !f.holds(present, from):
		return change.Result{Outcome: change.Conflict, Found: present, Code: ErrConflict.Code, Detail: ErrConflict.Message}, nil
	}
	return change.Result{Outcome: change.Done}, f.set(u, id, to, by)
}

// step moves a field by as much as lies between two values.
func (f *Field) step(u *commands.Unit, id string, from, to []byte, by setting) (change.Result, error) {
	if _, err := f.read(u, id); err != nil {
		return change.Result{}, err
	}
	next, err := f.shift(u, id, from, to)
	if err != nil {
		return change.Result{}, err
	}
	return change.Result{Outcome: change.Done}, f.set(u, id, next, by)
}

// refused is the result of a refusal, or the error that is none.
func refused(err error) (change.Result, error) {
	var row Row
	if !row.refuse(err) {
		return change.Result{}, err
	}
	return row.Result, nil
}
