package importer

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/importer/catalogfile"
	"shop/domain"
	"shop/domain/change"
)

// Bounds of what one change has of a file: such a change is one append. A longer file is several changes.
const (
	itemsTogether = 10_000
	bytesTogether = 6 << 20
)

// waiting are rows that are decided and not proposed yet.
type waiting struct {
	items   []changes.Asked
	bytes   int
	batches []batch
}

// batch are rows that were read together.
type batch struct {
	rows    []*importRow
	refused []*catalogfile.RowError
}

// add appends items, and answers the place of the first.
func (w *waiting) add(items ...changes.Asked) int {
	first := len(w.items)
	for _, item := range items {
		w.bytes += len(item.Was) + len(item.Now)
	}
	w.items = append(w.items, items...)
	return first
}

// thing is what an item of a change is about.
type thing struct {
	sort string
	id   domain.ID
}

// proposes says that rows become changes.
func (r *importRun) proposes() bool { return r.o.Propose != nil && !r.o.DryRun }

// watch decides something about things, and answers as items of a change what is other than before; nothing where rows are not proposed.
func (r *importRun) watch(u *commands.Unit, decide func() error, things ...thing) ([]changes.Asked, error) {
	if !r.proposes() {
		return nil, decide()
	}
	before, err := r.facts(u, things)
	if err != nil {
		return nil, err
	}
	if err := decide(); err != nil {
		return nil, err
	}
	after, err := r.facts(u, things)
	if err != nil {
		return nil, err
	}
	var items []changes.Asked
	for i, t := range things {
		if whole, isNew := added(before[i], after[i]); isNew {
			return append(items, changes.Asked{Thing: t.sort, ID: t.id.String(), Field: whole, Was: before[i][whole], Now: after[i][whole]}), nil // the stock too
		}
		for _, field := range slices.Sorted(maps.Keys(after[i])) {
			was, now := before[i][field], after[i][field]
			if !slices.Contains(wholes, field) && field != "received" && !bytes.Equal(was, now) { // on_hand says what received would
				items = append(items, changes.Asked{Thing: t.sort, ID: t.id.String(), Field: field, Was: was, Now: now})
			}
		}
	}
	return items, nil
}

// wholes are the fields that hold all of a thing.
var wholes = []string{"added", "whole"}

// added says whether a thing was not there before, and by which field it is as a whole. An archived product was there: its other fields say so.
func added(before, after map[string]json.RawMessage) (field string, isNew bool) {
	for _, field := range wholes {
		was, known := before[field]
		_, archived := before["prices"]
		if known && !archived && string(was) == "null" && string(after[field]) != "null" {
			return field, true
		}
	}
	return "", false
}

func (r *importRun) facts(u *commands.Unit, things []thing) ([]map[string]json.RawMessage, error) {
	all := make([]map[string]json.RawMessage, len(things))
	for i, t := range things {
		var err error
		if all[i], err = r.fields.Facts(u, t.sort, t.id.String()); err != nil {
			return nil, fmt.Errorf("read %s %s: %w", t.sort, t.id, err)
		}
	}
	return all, nil
}

// wait keeps rows until there are enough for a change.
func (r *importRun) wait(ctx context.Context, rows []*importRow, refused []*catalogfile.RowError) error {
	for _, row := range rows {
		if row.refused == nil {
			row.first = r.waiting.add(row.items...)
		}
	}
	r.waiting.batches = append(r.waiting.batches, batch{rows, refused})
	if len(r.waiting.items) < itemsTogether && r.waiting.bytes < bytesTogether {
		return nil
	}
	return r.propose(ctx)
}

// propose makes what waits a change, and tells what became of each row.
func (r *importRun) propose(ctx context.Context) error {
	w := r.waiting
	r.waiting = waiting{}
	var answers []changes.Row
	if len(w.items) > 0 {
		var err error
		if answers, err = r.o.Propose(ctx, w.items); err != nil {
			return err
		}
	}
	for _, b := range w.batches {
		for _, row := range b.rows {
			for i := range row.items {
				if n := row.first + i; row.refused == nil && n < len(answers) && (answers[n].Outcome == change.Conflict || answers[n].Outcome == change.Refused) {
					row.refused = &catalogfile.RowError{Line: row.Line, Reason: answers[n].Detail}
				}
			}
		}
		r.settle(b.rows, b.refused)
	}
	return nil
}
