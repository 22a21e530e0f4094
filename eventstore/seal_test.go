package eventstore

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestPersonalFieldsAreSealed(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	anna, boris := uuid.New(), uuid.New()
	of := func(person uuid.UUID, name string) named {
		return named{Person: person, Name: name, Phones: []string{"+77010000000"}, City: "Алматы"}
	}
	if _, err := s.Append(ctx, Append{Writes: []Write{
		{Stream: "anna", Events: []NewEvent{{Data: of(anna, "Anna")}}},
		{Stream: "boris", Events: []NewEvent{{Data: of(boris, "Boris")}}},
	}}); err != nil {
		t.Fatal(err)
	}
	var text string
	if err := s.pool.QueryRow(ctx, `SELECT string_agg(data::text, '') FROM eventstore.events`).Scan(&text); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(text, "Anna") || strings.Contains(text, "+7701") || !strings.Contains(text, "Алматы") {
		t.Errorf("stored: %s", text)
	}
	read := func(stream string) Event {
		t.Helper()
		events, err := s.Stream(ctx, stream, 0, 0)
		if err != nil || len(events) != 1 {
			t.Fatalf("%s: %d events, %v", stream, len(events), err)
		}
		return events[0]
	}
	if got := read("anna"); !reflect.DeepEqual(got.Data, of(anna, "Anna")) || got.Erased {
		t.Errorf("read %+v", got)
	}
	for range 2 { // erasing again is no error
		if err := s.ErasePerson(ctx, anna); err != nil {
			t.Fatal(err)
		}
	}
	if got := read("anna"); !reflect.DeepEqual(got.Data, named{Person: anna, City: "Алматы"}) || !got.Erased {
		t.Errorf("read after erasure %+v", got)
	}
	if got := read("boris"); !reflect.DeepEqual(got.Data, of(boris, "Boris")) || got.Erased {
		t.Errorf("another person's after the erasure %+v", got)
	}
	// An erased person never gets a key again; what is said of them later is gone at once.
	if _, err := s.Append(ctx, Append{Writes: []Write{{Stream: "late", Events: []NewEvent{{Data: of(anna, "Anna")}}}}}); err != nil {
		t.Fatal(err)
	}
	if got := read("late"); !reflect.DeepEqual(got.Data, named{Person: anna, City: "Алматы"}) || !got.Erased {
		t.Errorf("read %+v", got)
	}
}

func TestErasureReachesAnotherProcessInTime(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	other := Open(s.pool, codec{}, Options{})
	defer other.Close()
	person := uuid.New()
	if _, err := s.Append(ctx, Append{Writes: []Write{{Stream: "p", Events: []NewEvent{{Data: named{Person: person, Name: "Anna"}}}}}}); err != nil {
		t.Fatal(err)
	}
	if events, err := other.Stream(ctx, "p", 0, 0); err != nil || events[0].Erased {
		t.Fatalf("%+v, %v", events, err)
	}
	if err := s.ErasePerson(ctx, person); err != nil {
		t.Fatal(err)
	}
	// The other process heard nothing; its memory of the key grows old.
	known, _ := other.keys.cache.Get(person)
	known.read = known.read.Add(-keyCacheTime - time.Second)
	other.keys.cache.Add(person, known)
	if events, err := other.Stream(ctx, "p", 0, 0); err != nil || !events[0].Erased {
		t.Errorf("%+v, %v", events, err)
	}
}

func TestASealedFieldOpensNowhereElse(t *testing.T) {
	t.Parallel()
	key, err := newCipher(newKey())
	if err != nil {
		t.Fatal(err)
	}
	event := uuid.New()
	closed, err := sealFields([]byte(`{"name":"Anna","phones":["1"],"city":"X"}`), key, event, sealed{Person: uuid.New(), Fields: []string{"name", "phones", "note"}})
	if err != nil {
		t.Fatal(err)
	}
	seal, err := sealOf(closed)
	if err != nil || !reflect.DeepEqual(seal.Fields, []string{"name", "phones"}) {
		t.Fatalf("sealed %+v, %v", seal, err)
	}
	if plain, erased, err := openFields(closed, key, event, seal); err != nil || erased || string(plain) != `{"name":"Anna","phones":["1"],"city":"X"}` {
		t.Errorf("opened %s, %v, %v", plain, erased, err)
	}
	if _, _, err := openFields(closed, key, uuid.New(), seal); !errors.Is(err, errTampered) {
		t.Errorf("opened in another event: %v", err)
	}
	swapped := strings.NewReplacer(`"name":`, `"phones":`, `"phones":`, `"name":`).Replace(string(closed))
	if _, _, err := openFields([]byte(swapped), key, event, seal); !errors.Is(err, errTampered) {
		t.Errorf("opened in another field: %v", err)
	}
	if _, err := sealFields([]byte(`{"$sealed":1}`), key, event, *seal); err == nil {
		t.Error("a payload with a $sealed of its own was sealed")
	}
	// The word in a text is no seal.
	if seal, err := sealOf([]byte(`{"note":"\"$sealed\"","x":{"$sealed":{}}}`)); err != nil || seal != nil {
		t.Errorf("%+v, %v", seal, err)
	}
}

func TestManyEventsDecodeInOrder(t *testing.T) {
	t.Parallel()
	s, ctx := openStore(t), t.Context()
	if _, err := s.Append(ctx, Append{Writes: []Write{{Stream: "x", Events: some(1000)}}}); err != nil {
		t.Fatal(err)
	}
	events, err := s.Stream(ctx, "x", 0, 0)
	if err != nil || len(events) != 1000 {
		t.Fatalf("%d events, %v", len(events), err)
	}
	for i, e := range events {
		if e.Data != (happened{N: i + 1}) || e.Version != Version(i+1) {
			t.Fatalf("event %d: %+v", i, e)
		}
	}
}
