package eventstore

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/eventstore/skim"
)

// scanAll collects what a scan hands over; reached must grow and never lie before an event.
func scanAll(t *testing.T, s *Store, q Scanning) (events []Event, reached Position) {
	t.Helper()
	err := s.Scan(t.Context(), q, func(batch []Event, at Position) error {
		if at <= reached || len(batch) > 0 && (batch[0].Position <= reached || batch[len(batch)-1].Position > at) {
			t.Errorf("a batch up to %d after %d", at, reached)
		}
		events, reached = append(events, batch...), at
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return events, reached
}

// same compares a scan's events with those of Read; the zone of a time does not matter.
func same(t *testing.T, got, want []Event) {
	t.Helper()
	for _, events := range [][]Event{got, want} {
		for i := range events {
			events[i].RecordedAt = events[i].RecordedAt.UTC()
		}
	}
	if !slices.EqualFunc(got, want, func(a, b Event) bool { return reflect.DeepEqual(a, b) }) {
		t.Errorf("got %d events %+v\nwant %d %+v", len(got), got, len(want), want)
	}
}

func TestScanReadsWhatReadReads(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	person, erased := uuid.New(), uuid.New()
	for n := range 60 {
		a := to(fmt.Sprint("s-", n%7), AnyVersion)
		a.Metadata = Metadata{Actor: "guest", CorrelationID: fmt.Sprint(n)}
		if n%10 == 3 {
			a.Writes[0].Events = []NewEvent{{Data: named{Person: person, Name: "Анна", City: "Алматы"}}, {Data: named{Person: erased, Name: "Борис", City: "Астана"}}}
		}
		mustAppend(t, s, a)
		if n%8 == 0 { // a hole
			if _, err := s.pool.Exec(ctx, `SELECT nextval('eventstore.position')`); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := s.ErasePerson(ctx, erased); err != nil {
		t.Fatal(err)
	}
	head, err := s.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// With a hole in it, a position no event will ever have, and long stretches without any.
	picked := []Position{2, 4, 5, 6, 29, 30, 31, head - 1, head, head + 7}
	for _, q := range []Scanning{
		{Range: -1}, {Range: -1, Window: 1}, {Range: -1, Window: 7}, {Range: 0, Window: 5}, {Range: 3},
		{After: 10, UpTo: 40, Range: -1, Window: 6}, {UpTo: head + 100, Range: -1}, {Range: -1, Types: []string{"test.named"}},
		{Range: 1, Types: []string{"test.named", "test.happened"}}, {Range: -1, Types: []string{"it's none"}}, {Range: -1, Metadata: true},
		{Range: -1, Window: 7, Readers: 3}, {After: 10, UpTo: 40, Range: 2, Window: 4, Readers: 2}, {Range: -1, Readers: 4},
		{Range: -1, Headers: []string{"test.named"}}, {Range: 2, Types: []string{"test.named", "test.happened"}, Headers: []string{"it's none", "test.named"}, Window: 3, Readers: 2},
		{Range: -1, Types: []string{"test.happened"}, Headers: []string{"test.named"}, Metadata: true}, {Range: -1, Headers: []string{"test.named", "test.happened"}, Stored: true},
		{Range: -1, Bare: true}, {Range: 2, Bare: true, Metadata: true, Headers: []string{"test.happened"}, Window: 5, Readers: 2},
		{Range: -1, Only: picked}, {Range: -1, Only: picked, Window: 2, Readers: 3}, {Range: 1, Only: picked, Window: 9}, {After: 5, UpTo: 31, Range: -1, Only: picked, Window: 4},
		{Range: -1, Only: picked, Types: []string{"test.named"}, Headers: []string{"test.named"}, Window: 20, Readers: 2},
	} {
		want, err := s.Read(ctx, Query{After: q.After, UpTo: q.UpTo, Range: q.Range, Types: q.Types})
		if err != nil {
			t.Fatal(err)
		}
		want = slices.DeleteFunc(want, func(e Event) bool { return q.Only != nil && !slices.Contains(q.Only, e.Position) })
		for i := range want {
			if !q.Metadata {
				want[i].Metadata = Metadata{}
			}
			if q.Bare {
				e := want[i]
				want[i] = Event{Stream: e.Stream, Position: e.Position, Type: e.Type, Schema: e.Schema, Data: e.Data, Metadata: e.Metadata}
				if personal, is := e.Data.(named); is {
					want[i].Data, want[i].Erased = named{Person: personal.Person, City: personal.City}, true
				}
			}
			if slices.Contains(q.Headers, want[i].Type) {
				want[i].Data, want[i].Erased = nil, false
			}
		}
		got, reached := scanAll(t, s, q)
		same(t, got, want)
		end := head
		if q.UpTo > 0 {
			end = min(end, q.UpTo)
		}
		if reached != end {
			t.Errorf("%+v ended at %d, not %d", q, reached, end)
		}
	}
	if events, reached := scanAll(t, s, Scanning{After: head, Range: -1}); events != nil || reached != 0 {
		t.Errorf("above the head: %d events up to %d", len(events), reached)
	}
}

func TestScanLeavesPersonalFieldsClosed(t *testing.T) {
	t.Parallel()
	s, person := openStore(t), uuid.New()
	mustAppend(t, s, Append{Writes: []Write{{Stream: "p", Expected: AnyVersion, Events: []NewEvent{{Data: named{Person: person, Name: "Анна", City: "Алматы"}}}}}})
	s.keys.cache.Purge()
	for _, q := range []Scanning{{Closed: true}, {Bare: true}} {
		q.Range = -1
		got, _ := scanAll(t, s, q)
		if len(got) != 1 || !reflect.DeepEqual(got[0].Data, named{Person: person, City: "Алматы"}) || !got[0].Erased || s.keys.cache.Len() != 0 {
			t.Errorf("%+v: got %+v, %d keys were read", q, got, s.keys.cache.Len())
		}
	}
	got, _ := scanAll(t, s, Scanning{Range: -1})
	if !reflect.DeepEqual(got[0].Data, named{Person: person, Name: "Анна", City: "Алматы"}) {
		t.Errorf("got %+v", got)
	}
}

func TestStreamOfReadsSomeTypes(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	mustAppend(t, s, Append{Writes: []Write{
		{Stream: "a", Events: []NewEvent{{Data: happened{N: 1}}, {Data: odd{}}, {Data: happened{N: 2}}}}, {Stream: "b", Events: []NewEvent{{Data: happened{N: 3}}}},
	}})
	got, err := s.StreamOf(t.Context(), "a", "test.happened") // the odd one cannot be decoded
	if err != nil || len(got) != 2 || got[0].Data != (happened{N: 1}) || got[1].Data != (happened{N: 2}) || got[1].Version != 3 {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestScanSkims(t *testing.T) {
	t.Parallel()
	s, person := openStore(t), uuid.New()
	mustAppend(t, s, Append{Writes: []Write{{Stream: "p", Events: []NewEvent{
		{Data: happened{N: 1}}, {Data: named{Person: person, Name: "Анна", City: "Алматы"}}, {Data: happened{N: 2}},
	}}}})
	s.keys.cache.Purge()
	type city string
	skim := func(typ string, schema int, payload []byte) any {
		if typ != "test.named" {
			return nil
		}
		if schema != 1 || strings.Contains(string(payload), "Анна") {
			t.Errorf("schema %d: %s", schema, payload)
		}
		var found city
		in := skim.Of(payload)
		in.Members(func(name []byte) {
			if string(name) == "city" {
				found = city(in.Text())
			}
		})
		return found
	}
	got, _ := scanAll(t, s, Scanning{Range: -1, Skim: skim})
	if len(got) != 3 || got[0].Data != (happened{N: 1}) || got[1].Data != city("Алматы") || got[1].Version != 2 || got[2].Data != (happened{N: 2}) || s.keys.cache.Len() != 0 {
		t.Errorf("got %+v, %d keys were read", got, s.keys.cache.Len())
	}
}

func TestScanOfHeadersTouchesNoPayload(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	mustAppend(t, s, Append{Writes: []Write{{Stream: "p", Events: []NewEvent{
		{Data: named{Person: uuid.New(), Name: "Анна", City: "Алматы"}}, {Data: odd{}}, {Data: happened{N: 2}},
	}}}})
	s.keys.cache.Purge()
	skim := func(typ string, _ int, payload []byte) any {
		if typ != "test.happened" {
			t.Errorf("%s was sent: %q", typ, payload)
		}
		return nil
	}
	for _, q := range []Scanning{{Skim: skim}, {Stored: true, Open: true}} { // the odd one cannot be decoded
		q.Range, q.Headers = -1, []string{"test.named", "test.odd"}
		got, _ := scanAll(t, s, q)
		if len(got) != 3 || got[0].Data != nil || got[1].Data != nil || got[1].Type != "test.odd" || got[2].Data == nil || s.keys.cache.Len() != 0 {
			t.Errorf("got %+v, %d keys were read", got, s.keys.cache.Len())
		}
	}
	// Where a payload is wanted there must be one.
	if _, err := s.pool.Exec(t.Context(), `ALTER TABLE eventstore.events ALTER data DROP NOT NULL; UPDATE eventstore.events SET data = NULL`); err != nil {
		t.Fatal(err)
	}
	err := s.Scan(t.Context(), Scanning{Range: -1, Headers: []string{"test.named"}}, func([]Event, Position) error { return nil })
	if !errors.Is(err, errBadCopy) {
		t.Errorf("without a payload: %v", err)
	}
}

func TestScanOfPositionsLeavesTheOthersAlone(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	head := mustAppend(t, s, Append{Writes: []Write{{Stream: "x", Events: some(20)}}}).Position
	if _, err := s.pool.Exec(ctx, `ALTER TABLE eventstore.events RENAME data TO gone`); err != nil {
		t.Fatal(err)
	}
	if events, reached := scanAll(t, s, Scanning{Range: -1, Only: []Position{head + 1}, Window: 3}); events != nil || reached != head {
		t.Errorf("%d events up to %d", len(events), reached)
	}
}

// Long events go off in pieces, and the pieces fit together.
func TestScanOfLongEvents(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	for n := range 9 {
		mustAppend(t, s, Append{Writes: []Write{{Stream: "s", Expected: AnyVersion, Events: []NewEvent{{Data: happened{N: n, Note: strings.Repeat("x", scanBytes*n/5)}}}}}})
	}
	want, err := s.Read(t.Context(), Query{Range: -1})
	if err != nil {
		t.Fatal(err)
	}
	batches := 0
	var got []Event
	if err := s.Scan(t.Context(), Scanning{Range: -1, Window: 5, Readers: 2}, func(events []Event, _ Position) error {
		batches++
		got = append(got, events...)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if same(t, got, want); batches < 4 {
		t.Errorf("%d batches", batches)
	}
}

// An open append holds the scan below it.
func TestScanStopsAtTheHead(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	mustAppend(t, s, to("a", 0))
	tx, err := s.pool.Begin(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback(context.WithoutCancel(ctx))
	if _, err := tx.Exec(ctx, `SELECT eventstore.mark(ARRAY[0, 5, 10, 15])`); err != nil {
		t.Fatal(err)
	}
	mustAppend(t, s, to("b", 0))
	if events, reached := scanAll(t, s, Scanning{UpTo: 100, Range: -1}); len(events) != 1 || reached != 1 {
		t.Errorf("%d events up to %d", len(events), reached)
	}
}

func TestScanNamesAnEventThatCannotBeDecoded(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	mustAppend(t, s, to("a", 0))
	bad := mustAppend(t, s, Append{Writes: []Write{{Stream: "strange", Events: []NewEvent{{Data: odd{}}}}}}).Position
	err := s.Scan(t.Context(), Scanning{Range: -1}, func([]Event, Position) error { return nil })
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("position %d, test.odd of stream strange", bad)) {
		t.Errorf("got %v", err)
	}
	if events, _ := scanAll(t, s, Scanning{Range: -1, Types: []string{"test.happened"}}); len(events) != 1 {
		t.Errorf("%d events without it", len(events))
	}
}

func TestScanEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	mustAppend(t, s, Append{Writes: []Write{{Stream: "x", Events: some(100)}}})
	enough := errors.New("enough")
	for _, readers := range []int{1, 3} {
		q := Scanning{Range: -1, Window: 3, Readers: readers}
		if err := s.Scan(t.Context(), q, func([]Event, Position) error { return enough }); !errors.Is(err, enough) {
			t.Errorf("got %v", err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	if err := s.Scan(ctx, Scanning{Range: -1, Window: 3}, func([]Event, Position) error { cancel(); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
