package changes_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/commands"
	"shop/commands/changes"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/change"
	"shop/eventstore"
	"shop/projections"
)

// history are tables and columns that say when, how often or in which words something was written, and not what it is: an undo writes
// twice what a shop without the change never wrote.
var history = map[string]string{
	"changes.change":              "the change and its undo themselves",
	"changes.item":                "the change and its undo themselves",
	"catalog.word":                "words that names have ever had, for mending typos; they are only ever added",
	"catalog.product.updated_at":  "when it was written last",
	"catalog.product.position":    "the place of its last event in the log",
	"catalog.category.position":   "the place of its last event in the log",
	"catalog.brand.position":      "the place of its last event in the log",
	"catalog.mark.position":       "the place of its last event in the log",
	"stock.level.updated_at":      "when it was counted last",
	"content.block.updated_at":    "when it was written last",
	"documents.version":           "every text that was ever in force: shoppers agreed to it, so an undo publishes the former one again",
	"documents.current.version":   "counts publications, of which an undo is one",
	"posts.post.updated_at":       "when it was written last",
	"promocode.code.issued_at":    "when it was issued last",
	"orders.orders.rules_version": "counts publications, of which an undo is one; the rules of the order are the same",
	"rules.current.version":       "counts publications, of which an undo is one",
	"rules.current.changed_at":    "when they were published last",
	"settings.current.version":    "counts publications, of which an undo is one",
	"settings.current.changed_at": "when they were published last",
}

// gone says of which rows nobody sees anything: what a change added stays as such a row after its undo, because an id, link or code
// belongs to one thing for ever. Where the shop without the change has the row too, it is compared like any other.
var gone = map[string]func(row map[string]any) bool{
	"catalog.product":  isTrue("archived"),
	"catalog.category": isTrue("archived"),
	"catalog.brand":    isTrue("archived"),
	"catalog.mark":     isTrue("archived"),
	"promocode.code":   isTrue("revoked"),
	"posts.post":       func(row map[string]any) bool { return row["published"] == false },
	"content.block":    func(row map[string]any) bool { return row["text"] == "" && fmt.Sprint(row["slides"]) == "[]" },
}

// goneWith are the tables whose rows are gone with those of another: the pieces of a product and the names that reports know things by.
var goneWith = map[string]string{
	"stock.level": "catalog.product", "sales.product": "catalog.product", "sales.category": "catalog.category", "sales.brand": "catalog.brand",
}

func isTrue(column string) func(map[string]any) bool {
	return func(row map[string]any) bool { return row[column] == true }
}

// lastOfMonths are the places of a product as reports read them: of a month the last counts.
func lastOfMonths(places []any) map[string]any {
	last := map[string]any{}
	for _, place := range places {
		p := place.(map[string]any)
		last[p["month"].(string)] = p
	}
	return last
}

// unseen says whether a row, by its table and key, is of something that is not in the shop.
func unseen(rows map[string]map[string]any, at string) bool {
	table, key, _ := strings.Cut(at, " ")
	if owner := goneWith[table]; owner != "" {
		table = owner
	}
	row := rows[table+" "+key]
	return row != nil && gone[table] != nil && gone[table](row)
}

// twin is a shop that a seed decides: two of one seed differ by nothing but what is done to them.
type twin struct {
	shelves
	phase uint64
	ids   *rand.Rand
}

func openTwin(t *testing.T, seed uint64) *twin {
	w := &twin{}
	s := testshop.Open(t)
	s.UseWith(s.Log, commands.Options{NewID: func() domain.ID { return uuid.MustParse(idBy(w.ids)) }})
	w.next()
	w.shelves = filled(desk{s, &changes.Changes{Handler: s.Handler, Fields: changes.All()}}, rand.New(rand.NewPCG(seed, 7)))
	w.order()
	return w
}

// next is an hour later; the ids of what happens then depend on nothing that happened before.
func (w *twin) next() {
	w.phase++
	w.ids = rand.New(rand.NewPCG(w.phase, 3))
	if w.Changes != nil {
		w.Clock.Advance(time.Hour)
	}
}

// order is what a shopper gets who orders two pieces of the first product; the shop may refuse.
func (w *twin) order() string {
	w.next()
	r := w.Place(testshop.Checkout(testshop.Line(uuid.MustParse(w.shelves.ids["product"][0]), 2)))
	return fmt.Sprint(r.Code, " ", r.Text())
}

// fresh are new things that a change may add.
func (s shelves) fresh() (all []changes.Asked) {
	for _, thing := range []string{"category", "brand", "mark", "post"} {
		field := "whole"
		if thing == "post" {
			field = "article"
		}
		all = append(all, asked(thing, idBy(s.r), field, "", s.value(thing, field)))
	}
	id, added := s.added()
	return append(all, asked("product", id, "added", "", added), asked("promocode", fmt.Sprint("NEW", s.r.IntN(1_000)), "terms", "", s.value("promocode", "terms")))
}

// stay proposes what has to be so in the shop without the change.
func (w *twin) stay(what string, items []changes.Asked) {
	w.T.Helper()
	if len(items) == 0 {
		return
	}
	_, err := w.Propose(as(w.T, "staff:b"), changes.Proposal{Title: what, Items: items, May: everything})
	var refused *changes.Refused
	if errors.As(err, &refused) && refused.Bad == 0 {
		return // it is so
	}
	if err != nil {
		w.T.Errorf("%s: %v", what, err)
		if refused != nil {
			w.T.Errorf("%s", outcomes(refused.Rows))
		}
	}
}

// rows are the rows of all read models of the shop's log, by table and key, without what is history.
func (w *twin) rows() map[string]map[string]any {
	w.T.Helper()
	events, err := w.Log.Read(w.T.Context(), eventstore.Query{Range: -1})
	if err != nil {
		w.T.Fatal(err)
	}
	all := map[string]map[string]any{}
	err = pgx.BeginFunc(w.T.Context(), w.Pool, func(tx pgx.Tx) error {
		for _, p := range projections.All() {
			schema := "twin_" + p.Name
			if err := p.CreateTables(w.T.Context(), tx, schema); err != nil {
				return err
			}
			if err := p.ApplyTo(w.T.Context(), tx, schema, events); err != nil {
				return err
			}
			for _, t := range p.Tables {
				if err := w.table(tx, p.Name, schema, t.Definition(), all); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		w.T.Fatal(err)
	}
	return all
}

func (w *twin) table(tx pgx.Tx, model, schema string, d projections.Definition, all map[string]map[string]any) error {
	name := model + "." + d.Name
	if history[name] != "" {
		return nil
	}
	rows, err := tx.Query(w.T.Context(), "SELECT to_jsonb(t) FROM "+d.In(schema)+" t")
	if err != nil {
		return err
	}
	found, err := pgx.CollectRows(rows, pgx.RowTo[map[string]any])
	for _, row := range found {
		for column := range row {
			if history[name+"."+column] != "" {
				delete(row, column)
			}
		}
		if places, is := row["places"].([]any); is {
			row["places"] = lastOfMonths(places)
		}
		all[fmt.Sprint(name, " ", row[d.Key])] = row
	}
	return err
}

// TestAnUndoLeavesNoTraceInAnyReadModel: the read models of a shop with a change, other edits and the undo of the change equal, row by row,
// those of a shop that had the edits alone, and whatever the undo says that it left. An order before and one after are the same too.
func TestAnUndoLeavesNoTraceInAnyReadModel(t *testing.T) {
	t.Parallel()
	for seed := range uint64(14) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			with, without := openTwin(t, seed), openTwin(t, seed)
			p := with.some(12)
			p.Items = append(p.Items, with.fresh()...)
			edited := besides(with.some(4), p)

			with.next()
			made, err := with.Propose(as(t, "staff:a"), p)
			if err != nil {
				t.Fatal(err)
			}
			with.next()
			kept := with.edit(edited)
			with.next()
			back, err := with.Undo(as(t, "staff:a"), changes.Undoing{Change: made.ID, May: everything})
			if err != nil {
				t.Fatal(err)
			}

			without.next()
			without.next()
			stays, follows := with.left(made.ID, resultsOf(back))
			without.stay("what could not go back", stays)
			without.stay("edits", kept)
			without.stay("what the undo left", follows)
			without.next()
			testshop.EqualText(t, "the order after it", with.order(), without.order())
			t.Logf("%d items of the change, %d edits, %d put back, %d left", len(with.done(made.ID)), len(kept), len(with.done(back.ID)), len(stays)+len(follows))
			compareRows(t, with.rows(), without.rows())
		})
	}
}

// done are the items of a change that it set.
func (w *twin) done(id domain.ID) (items []changes.Asked) {
	w.T.Helper()
	s, err := w.Show(w.T.Context(), id)
	if err != nil {
		w.T.Fatal(err)
	}
	for i, item := range s.List {
		if s.Applied[i].Outcome == change.Done {
			done := changes.Asked{Thing: item.Thing, ID: item.ID, Field: item.Field, Now: item.Now}
			if item.Field == "received" { // so many pieces came, whatever there is
				done.Was = item.Was
			}
			items = append(items, done)
		}
	}
	return items
}

// besides leaves out of edits the counts of what a change receives: the pieces of a delivery that is taken back are taken off a count too.
func besides(edits, made changes.Proposal) changes.Proposal {
	edits.Items = slices.DeleteFunc(edits.Items, func(e changes.Asked) bool {
		return e.Thing == "stock" && slices.ContainsFunc(made.Items, func(m changes.Asked) bool { return m.Field == "received" && m.ID == e.ID })
	})
	return edits
}

// resultsOf are what became of the items of a change by its undo, by their numbers.
func resultsOf(undo changes.Answer) map[int]change.Result {
	results := map[int]change.Result{}
	for _, row := range undo.Rows {
		results[*row.Undoes] = row.Result
	}
	return results
}

// left are the values that an undo or an end told to have left: those that it could not put back, as the change made them, and those
// that somebody changed since, as they are.
func (w *twin) left(id domain.ID, back map[int]change.Result) (stays, follows []changes.Asked) {
	w.T.Helper()
	s, err := w.Show(w.T.Context(), id)
	if err != nil {
		w.T.Fatal(err)
	}
	for n, one := range s.List {
		item, result := changes.Asked{Thing: one.Thing, ID: one.ID, Field: one.Field, Now: one.Now}, back[n]
		switch {
		case result.Outcome == change.Conflict && string(result.Found) != "null": // null is of what somebody archived since
			item.Now = result.Found
			follows = append(follows, item)
		case result.Outcome == change.Conflict, result.Outcome == change.Refused:
			w.T.Logf("%s %s %s goes not back: %s", one.Thing, one.ID, one.Field, result.Detail)
			stays = append(stays, item)
		}
	}
	return stays, follows
}

// compareRows tells each row in which two folds differ.
func compareRows(t *testing.T, with, without map[string]map[string]any) {
	t.Helper()
	if len(without) < 20 {
		t.Errorf("only %d rows were compared", len(without))
	}
	keys := maps.Clone(with)
	maps.Copy(keys, without)
	for key := range keys {
		a, b := with[key], without[key]
		if b == nil && unseen(with, key) {
			continue
		}
		columns := maps.Clone(b)
		if columns == nil {
			columns = map[string]any{}
		}
		maps.Copy(columns, a)
		var differ []string
		for column := range columns {
			was, _ := json.Marshal(b[column])
			is, _ := json.Marshal(a[column])
			if string(was) != string(is) {
				differ = append(differ, fmt.Sprintf("%s is %s, without the change %s", column, is, was))
			}
		}
		if len(differ) > 0 {
			t.Errorf("%s: %s", key, strings.Join(differ, "; "))
		}
	}
}
