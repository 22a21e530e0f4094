package changes

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
	"shop/domain/change"
	"shop/domain/staff"
)

// Asked is a field that somebody wants to have another value. Was is the value that they saw; nil: whichever it has.
type Asked struct {
	Thing string          `json:"thing"`
	ID    string          `json:"id"`
	Field string          `json:"field"`
	Was   json.RawMessage `json:"was,omitempty"`
	Now   json.RawMessage `json:"now"`
}

// Row is what a change does to what was asked, or why it does not. Of a field that is a part of another, values are the part's.
type Row struct {
	change.Item
	change.Result
	// Undoes is the number of the item that the row takes back, in the change that is undone; nil: none.
	Undoes *int
	// Archived: the product is not on sale, perhaps since a moment ago. It may be changed nevertheless.
	Archived bool
	// item is the row's item of the change; -1: none.
	item int
}

// checked is what a change would do.
type checked struct {
	rows []Row
	// items are what the change consists of, results what becomes of each when it is applied as it was checked.
	items   []change.Item
	results []change.Result
	fields  []*Field
	// bad counts the rows that cannot be as asked, done those that change something.
	bad, done int
	// proposed: a field is one that the person may only propose.
	proposed bool
}

// draft is an item that rows make together.
type draft struct {
	field *Field
	item  change.Item
	rows  []int
	// seen is the present value, which a planned change may not find any more.
	seen json.RawMessage
}

// check decides what is asked over how things are: u holds the events of it afterwards.
func (c *Changes) check(u *commands.Unit, p *Proposal) (*checked, error) {
	out := &checked{rows: make([]Row, len(p.Items))}
	if len(p.Items) == 0 || len(p.Items) > change.MaxItems {
		return nil, change.ErrNoItems
	}
	var refs []commands.Ref
	for i, a := range p.Items {
		row := &out.rows[i]
		row.Item, row.item = change.Item{Thing: a.Thing, ID: a.ID, Field: a.Field, Now: a.Now}, -1
		if p.numbers != nil {
			row.Undoes = &p.numbers[i]
		}
		if p.taken[i] {
			row.refuse(catalog.ErrLinkTaken)
			continue
		}
		if p.deep[i] {
			row.refuse(catalog.ErrTooDeep)
			continue
		}
		if hold, is := p.held[i]; is {
			row.refuse(hold.refusal())
			continue
		}
		needed, err := c.streams(out, a, p.May)
		if err != nil && !row.refuse(err) {
			return nil, err
		}
		if !c.Fields.Seen(a.Thing, a.Field, p.May) {
			row.Now = nil // an undo would tell what it was
		}
		refs = append(refs, needed...)
	}
	if err := u.Load(refs...); err != nil {
		return nil, err
	}
	drafts, err := c.draft(u, p, out)
	if err != nil {
		return nil, err
	}
	for i, d := range drafts {
		if err := out.settle(u, d, p); err != nil {
			return nil, err
		}
		p.told(float64(i) / float64(len(drafts)))
	}
	for i, a := range p.Items {
		switch out.rows[i].Outcome {
		case change.Done:
			out.done++
			out.rows[i].Archived = isArchived(u, a)
		case change.Conflict, change.Refused:
			out.bad++
		}
	}
	return out, nil
}

// isArchived says whether an item sets something else of a product that is archived then.
func isArchived(u *commands.Unit, a Asked) bool {
	if a.Thing != "product" || a.Field == "archived" {
		return false
	}
	stream, err := product.stream(a.ID)
	return err == nil && stream.State(u).Archived
}

// streams are what an item has to do with, when the person may change it.
func (c *Changes) streams(out *checked, a Asked, may func(staff.Permission) bool) ([]commands.Ref, error) {
	f, stored, err := c.Fields.of(a.Thing, a.Field)
	if err != nil {
		return nil, err
	}
	if f.Sees != "" && !may(f.Sees) {
		return nil, ErrForbidden // what it was would be told
	}
	if !may(f.Writes) {
		if f.Proposes == "" || !may(f.Proposes) {
			return nil, ErrForbidden
		}
		out.proposed = true
	}
	if _, err := f.plain(a.Now); err != nil {
		return nil, err
	}
	to := a.Now
	if f != stored {
		to = nil // a part refers to nothing
	}
	return stored.streams(a.ID, to)
}

// draft reads how things are, and puts the rows together that are about one stored field.
func (c *Changes) draft(u *commands.Unit, p *Proposal, out *checked) ([]*draft, error) {
	var drafts []*draft
	known, wholes := map[[3]string]*draft{}, overlaps{}
	for i, a := range p.Items {
		row := &out.rows[i]
		if row.Outcome != "" {
			continue
		}
		f, stored, err := c.Fields.of(a.Thing, a.Field)
		if err != nil {
			return nil, err
		}
		key := [3]string{a.Thing, a.ID, stored.Name}
		d := known[key]
		if d == nil && wholes.overlap(stored, a) {
			row.refuse(ErrOverlap)
			continue
		}
		if d == nil {
			present, err := stored.from(u, a.ID, p)
			if err != nil {
				if !row.refuse(err) {
					return nil, err
				}
				continue
			}
			d = &draft{field: stored, item: change.Item{Thing: a.Thing, ID: a.ID, Field: stored.Name, Was: present, Now: present}}
			if d.seen, err = stored.read(u, a.ID); err != nil {
				return nil, err
			}
		}
		if err := row.fill(u, f, d, a, p.changed[i]); err != nil {
			if !row.refuse(err) {
				return nil, err
			}
			continue
		}
		if known[key] == nil {
			known[key] = d
			drafts = append(drafts, d)
		}
		d.rows = append(d.rows, i)
	}
	return drafts, nil
}

// overlaps are the things that a change is about: whether it sets the whole of one, or parts.
type overlaps map[[2]string]bool

// overlap says whether an item sets a part of what another sets as a whole, or the other way round: neither could go back alone.
func (o overlaps) overlap(stored *Field, a Asked) bool {
	key, whole := [2]string{a.Thing, a.ID}, stored.Name == wholeField || stored.Name == addedName || stored.shift != nil
	other, seen := o[key]
	if !seen {
		o[key] = whole
	}
	return seen && (whole || other)
}

// fill sets the row's values, and lets the draft have what is wanted; a conflict leaves the draft as it is. What somebody changed is one
// whatever it is now.
func (r *Row) fill(u *commands.Unit, f *Field, d *draft, a Asked, changed bool) (err error) {
	now, err := f.plain(a.Now)
	if err != nil {
		return err
	}
	was, to := d.item.Was, now
	if f.shift != nil && len(a.Was) > 0 {
		return r.shifted(u, f, d, a)
	}
	if f.part != nil {
		if was, err = f.part.get(d.item.Was); err != nil {
			return err
		}
		if to, err = f.part.put(d.item.Now, now); err != nil {
			return err
		}
	}
	r.Was, r.Now = was, now
	shown := d.seen
	if f.part != nil {
		if shown, err = f.part.get(shown); err != nil {
			return err
		}
	}
	seen := len(a.Was) == 0 || f.holds(was, a.Was) || f.holds(shown, a.Was)
	if (changed || !seen) && !bytes.Equal(was, now) {
		expected, err := f.plain(a.Was)
		if err != nil {
			return err
		}
		r.Was = expected
		r.Result = change.Result{Outcome: change.Conflict, Found: was, Code: ErrConflict.Code, Detail: ErrConflict.Message}
		if f.part != nil { // the item of a change is a whole
			return nil
		}
		if len(d.rows) == 0 && !seen { // else the item stays as it is, also when it is applied later
			d.item.Was, d.item.Now = expected, now
		}
		return nil
	}
	d.item.Now = to
	return nil
}

// shifted sets the row's values of a field that moves by as much as lies between what was seen and what is wanted.
func (r *Row) shifted(u *commands.Unit, f *Field, d *draft, a Asked) (err error) {
	if len(d.rows) > 0 {
		return ErrOverlap
	}
	to, err := f.shift(u, a.ID, a.Was, a.Now)
	if err == nil {
		r.Was, r.Now, d.item.Now = d.item.Was, to, to
	}
	return err
}

// settle decides an item and tells its rows.
func (out *checked) settle(u *commands.Unit, d *draft, p *Proposal) error {
	result := change.Result{Outcome: change.Done}
	for _, i := range d.rows {
		if out.rows[i].Outcome == change.Conflict {
			result = out.rows[i].Result
		}
	}
	if result.Outcome == change.Done {
		if bytes.Equal(d.item.Was, d.item.Now) {
			result.Outcome = change.Same
		} else if err := d.field.set(u, d.item.ID, d.item.Now, setting{p.id, d.item.ID, p.Reason, p.until()}); err != nil {
			var asRow Row
			if !asRow.refuse(err) {
				return err
			}
			result = asRow.Result
		} else if err := d.became(u, &result); err != nil {
			return err
		}
	}
	for _, i := range d.rows {
		row := &out.rows[i]
		if row.Outcome == "" {
			row.Result = result
		}
		if row.Outcome == change.Conflict && row.Code == "" {
			row.Code, row.Detail = ErrConflict.Code, ErrConflict.Message
		}
		row.item = len(out.items)
	}
	if result.Outcome == change.Same {
		return nil
	}
	out.items, out.results, out.fields = append(out.items, d.item), append(out.results, result), append(out.fields, d.field)
	return nil
}

// became lets the item say what was decided, which may be another spelling of what was asked.
func (d *draft) became(u *commands.Unit, result *change.Result) (err error) {
	if d.item.Now, err = d.field.read(u, d.item.ID); err == nil && bytes.Equal(d.item.Was, d.item.Now) {
		result.Outcome = change.Same
	}
	return err
}

// refuse notes a refusal; false: the error is none.
func (r *Row) refuse(err error) bool {
	var refusal *domain.Refusal
	if !errors.As(err, &refusal) {
		return false
	}
	r.Result = change.Result{Outcome: change.Refused, Code: refusal.Code, Detail: refusal.Message}
	return true
}

// Refused is a change of which items cannot be as asked: nothing was written.
type Refused struct {
	Rows []Row
	// Bad counts the rows that are in the way.
	Bad int
}

func (r *Refused) Error() string {
	return fmt.Sprintf("%d of %d items cannot be changed as asked", r.Bad, len(r.Rows))
}
