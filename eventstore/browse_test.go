package eventstore

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/uuid"
)

func TestBrowse(t *testing.T) {
	t.Parallel()
	s := openStore(t)
	ctx := t.Context()
	person, erased := uuid.New(), uuid.New()
	write := func(stream, actor, correlation, trace string, data ...any) Position {
		var events []NewEvent
		for _, d := range data {
			events = append(events, NewEvent{Data: d})
		}
		return mustAppend(t, s, Append{Writes: []Write{{Stream: stream, Expected: AnyVersion, Events: events}},
			Metadata: Metadata{Actor: actor, CorrelationID: correlation, Trace: trace}}).Position
	}
	const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for range 20 {
		write("order-1", "guest", "r1", "", happened{}, happened{})
	}
	write("order-2", "staff:7", "r2", trace, named{Person: person, Name: "Айгерим", Phones: []string{"+7701"}, City: "Алматы"})
	write("stock-1", "staff:8", "r3", "", named{Person: erased, Name: "Nobody", City: "Астана"}, odd{})
	last := write("order-1", "guest", "r4", "", happened{})
	if err := s.ErasePerson(ctx, erased); err != nil {
		t.Fatal(err)
	}
	found := func(q Search, open bool) []Recorded {
		t.Helper()
		q.Limit = max(q.Limit, 7)
		var all []Recorded
		for pages := 0; ; pages++ {
			page, next, err := s.Browse(ctx, q, open)
			if err != nil || pages > 100 {
				t.Fatal(pages, err)
			}
			all = append(all, page...)
			if next == 0 {
				break
			}
			q.Before = next
		}
		for i, r := range all {
			if i > 0 && r.Position >= all[i-1].Position {
				t.Errorf("%d after %d", r.Position, all[i-1].Position)
			}
			if q.Before = 0; !q.Matches(&r) {
				t.Errorf("%+v is found and does not match %+v", r, q)
			}
		}
		return all
	}
	for _, c := range []struct {
		q    Search
		want int
	}{
		{Search{}, 44}, {Search{After: last - 2}, 2}, {Search{Before: 3}, 2}, {Search{Before: 3, After: 1}, 1},
		{Search{Stream: "order-1"}, 41}, {Search{Stream: "order-*"}, 42}, {Search{Stream: "order-1", Before: 11}, 10}, {Search{Stream: "nothing"}, 0},
		{Search{Types: []string{"test.named"}}, 2}, {Search{Types: []string{"test.named", "test.odd"}}, 3},
		{Search{Actor: "staff:7"}, 1}, {Search{Actor: "staff:*"}, 3}, {Search{Actor: "%"}, 0},
		{Search{Trace: "r2"}, 1}, {Search{Trace: trace}, 1}, {Search{Trace: "0af7651916cd43dd8448eb211c80319c"}, 1},
		{Search{Stream: "order-*", Actor: "staff:*", Types: []string{"test.named"}}, 1},
	} {
		if got := found(c.q, false); len(got) != c.want {
			t.Errorf("%+v finds %d, want %d", c.q, len(got), c.want)
		}
	}

	// Personal fields are there only for who asks for them, and not those of the erased.
	look := func(stream, typ string, open bool) (Recorded, map[string]any) {
		t.Helper()
		got := found(Search{Stream: stream, Types: []string{typ}}, open)
		if len(got) != 1 {
			t.Fatalf("%d of %s", len(got), stream)
		}
		var fields map[string]any
		if err := json.Unmarshal(got[0].Payload, &fields); err != nil {
			t.Fatal(err)
		}
		return got[0], fields
	}
	if r, fields := look("order-2", "test.named", true); fields["name"] != "Айгерим" || r.Closed != nil || r.Erased || r.Unreadable != nil {
		t.Errorf("open: %+v", r)
	}
	if r, fields := look("order-2", "test.named", false); fields["city"] != "Алматы" || len(fields) != 2 || !slices.Equal(r.Closed, []string{"name", "phones"}) || r.Erased {
		t.Errorf("closed: %+v %s", r, r.Payload)
	}
	for _, open := range []bool{true, false} {
		if r, fields := look("stock-1", "test.named", open); fields["name"] != nil || !r.Erased || r.Unreadable != nil || !slices.Equal(r.Closed, []string{"name", "phones"}) {
			t.Errorf("erased, open %v: %+v %s", open, r, r.Payload)
		}
		if r, _ := look("stock-1", "test.odd", open); r.Unreadable == nil || string(r.Payload) != "{}" {
			t.Errorf("odd: %+v", r)
		}
	}
	if r, err := s.RecordedAt(ctx, last, false); err != nil || r.Stream != "order-1" {
		t.Errorf("the last: %+v, %v", r, err)
	}
	if r, err := s.RecordedAt(ctx, last+1, false); err != nil || r != nil {
		t.Errorf("none: %+v, %v", r, err)
	}
}
