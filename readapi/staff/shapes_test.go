package staff

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	accounts "shop/domain/staff"
	"shop/eventstore"
	"shop/eventstore/feed"
	"shop/eventstore/registry"
	"shop/projections/rebuild"
	"shop/projections/replay"
)

var (
	noon    = time.Date(2026, 3, 2, 12, 0, 0, 5000, time.UTC)
	aLetter = feed.DeadLetter{Consumer: "stock", Position: 7, Stream: "stock-1", Version: 2, Type: "stock.received", Error: "no <number>", Attempts: 3,
		ParkedAt: noon, TriedAt: noon.Add(time.Minute), Retry: true}
	aConsumer = feed.ConsumerStatus{Name: "stock", Position: 90, Head: 100, Lag: 10, LagTime: 1500 * time.Millisecond, Rate: 12.5, State: feed.CatchingUp,
		DeadLetters: 1, UpdatedAt: noon, Ranges: []feed.RangeStatus{{Range: 0, Position: 90, Holder: "host/1", Term: 3}, {Range: 1, Position: 95}}}
	aBuild = rebuild.Build{ID: 4, Projection: "stock", Kind: rebuild.Verify, Version: 2, Schema: "stock_check", State: rebuild.Running, Phase: rebuild.Folding, Position: 100,
		Progress: 0.5, Events: 50, Rate: 25, ETA: 2 * time.Second, Actor: "staff:1", StartedAt: noon, UpdatedAt: noon.Add(time.Second), LockTime: -1}
	doneBuild = rebuild.Build{ID: 5, Projection: "stock", Kind: rebuild.Rebuild, Schema: "stock_next", State: rebuild.Done, Position: 100, Progress: 1, Events: 100, ETA: -1,
		Actor: "cli:ana", StartedAt: noon, UpdatedAt: noon, FinishedAt: noon.Add(time.Hour), Holder: "host/1", Error: "none", LockTime: 12 * time.Millisecond,
		Report: &rebuild.Report{Position: 100, Compared: 10, Changed: 1, NewColumns: []string{"level.n"}, Sample: []rebuild.Difference{{Table: "level", Key: "a", Kind: "changed",
			Columns: []rebuild.ColumnDifference{{Column: "n", Live: "1", Fresh: ""}, {Column: "who", Live: `"•••"`, Fresh: `"•••"`, Personal: true}, {Column: "t", Live: "x", Fresh: "null"}}}}}}
	anID     = uuid.MustParse("0199a202-fbd8-768a-8515-9c3809f2a706")
	metadata = eventstore.Metadata{CorrelationID: "request-1", CausationID: "command-1", Actor: "staff:1", Trace: "00-1-2-01", Imported: true}
	recorded = eventstore.Recorded{ID: anID, Stream: "staff-1", Version: 1, Position: 8, Type: "staff.added", Schema: 1, RecordedAt: noon, Metadata: metadata,
		Payload: json.RawMessage(`{"id":"1","email":"ana@shop.example","role":"admin"}`)}
	erased = eventstore.Recorded{ID: anID, Stream: "staff-1", Version: 1, Position: 8, Type: "staff.added", Schema: 1, RecordedAt: noon,
		Payload: json.RawMessage(`{"id":"1","role":"admin"}`), Closed: []string{"email"}, Erased: true, Unreadable: errors.New("is not understood")}
	event = eventstore.Event{ID: anID, Stream: "staff-1", Version: 1, Position: 8, Type: "staff.added", Schema: 1, RecordedAt: noon, Metadata: metadata,
		Data: accounts.Added{Email: "ana@shop.example", Role: accounts.Admin}}
	unreadable = eventstore.Event{ID: anID, Stream: "staff-1", Version: 1, Position: 8, Type: "staff.added", Schema: 1, RecordedAt: noon, Erased: true,
		Data: eventstore.Unreadable{Stored: json.RawMessage(`{"email":7}`), Err: errors.New("is not understood")}}
	aModel  = rebuild.Model{Schema: "stock_at_7", Projection: "stock", Role: "as-of", Version: 2, Position: 7, AsOf: noon, MadeAt: noon}
	aReplay = replay.Replay{ID: "r1", State: replay.Done, Position: 9, Overrides: json.RawMessage(`{"minimum_sum":9000}`), CreatedAt: noon, CreatedBy: "staff:1",
		FinishedAt: noon, Stage: "price", Done: 3, Of: 3, Report: json.RawMessage("{}")}
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestShapes holds the fields of the JSON that HTTP answers with and the command line prints, in their order: scripts read them.
func TestShapes(t *testing.T) {
	t.Parallel()
	reader := &Reader{events: registry.New()}
	projection := ProjectionOf(aConsumer)
	projection.Version = 2
	for _, c := range []struct {
		view any
		want string
	}{
		{DeadLetterOf(aLetter),
			`{"projection":"stock","position":7,"stream":"stock-1","version":2,"type":"stock.received","error":"no \u003cnumber\u003e","attempts":3,"parked_at":"2026-03-02T12:00:00.000005Z","tried_at":"2026-03-02T12:01:00.000005Z","retry":true}`},
		{projection,
			`{"name":"stock","kind":"read model","version":2,"state":"catching-up","position":90,"head":100,"lag":10,"lag_seconds":1.5,"rate":12.5,"dead_letters":1,"updated_at":"2026-03-02T12:00:00.000005Z","ranges":[{"range":0,"position":90,"holder":"host/1","term":3},{"range":1,"position":95,"holder":null,"term":0}],"previous":null,"build":null}`},
		{BuildOf(aBuild, true),
			`{"id":4,"projection":"stock","kind":"verify","state":"running","phase":"fold","schema":"stock_check","position":100,"progress":0.5,"events":50,"rate":25,"eta_seconds":2,"started_at":"2026-03-02T12:00:00.000005Z","updated_at":"2026-03-02T12:00:01.000005Z","finished_at":null,"holder":null,"actor":"staff:1","error":"","swap_lock_seconds":null,"differences":null}`},
		{BuildOf(doneBuild, false),
			`{"id":5,"projection":"stock","kind":"rebuild","state":"done","phase":"","schema":"stock_next","position":100,"progress":1,"events":100,"rate":0,"eta_seconds":null,"started_at":"2026-03-02T12:00:00.000005Z","updated_at":"2026-03-02T12:00:00.000005Z","finished_at":"2026-03-02T13:00:00.000005Z","holder":"host/1","actor":"cli:ana","error":"none","swap_lock_seconds":0.012,"differences":{"compared":10,"missing":0,"extra":0,"changed":1,"new_columns":["level.n"],"gone_columns":[]}}`},
		{BuildOf(doneBuild, true),
			`{"id":5,"projection":"stock","kind":"rebuild","state":"done","phase":"","schema":"stock_next","position":100,"progress":1,"events":100,"rate":0,"eta_seconds":null,"started_at":"2026-03-02T12:00:00.000005Z","updated_at":"2026-03-02T12:00:00.000005Z","finished_at":"2026-03-02T13:00:00.000005Z","holder":"host/1","actor":"cli:ana","error":"none","swap_lock_seconds":0.012,"differences":{"compared":10,"missing":0,"extra":0,"changed":1,"new_columns":["level.n"],"gone_columns":[],"sample":[{"table":"level","key":"a","kind":"changed","columns":[{"column":"n","live":1,"fresh":null},{"column":"who","live":"•••","fresh":"•••"},{"column":"t","live":"x","fresh":null}]}]}}`},
		{reader.EventOf(&recorded, false),
			`{"position":8,"id":"0199a202-fbd8-768a-8515-9c3809f2a706","stream":"staff-1","version":1,"type":"staff.added","schema":1,"recorded_at":"2026-03-02T12:00:00.000005Z","actor":"staff:1","correlation":"request-1","causation":"command-1","trace":"00-1-2-01","data":{"email":"•••","id":"1","role":"admin"},"erased":false}`},
		{reader.EventOf(&recorded, true),
			`{"position":8,"id":"0199a202-fbd8-768a-8515-9c3809f2a706","stream":"staff-1","version":1,"type":"staff.added","schema":1,"recorded_at":"2026-03-02T12:00:00.000005Z","actor":"staff:1","correlation":"request-1","causation":"command-1","trace":"00-1-2-01","data":{"id":"1","email":"ana@shop.example","role":"admin"},"erased":false}`},
		{reader.EventOf(&erased, true),
			`{"position":8,"id":"0199a202-fbd8-768a-8515-9c3809f2a706","stream":"staff-1","version":1,"type":"staff.added","schema":1,"recorded_at":"2026-03-02T12:00:00.000005Z","actor":"","correlation":"","causation":"","trace":"","data":{"email":"erased","id":"1","role":"admin"},"erased":true,"error":"is not understood"}`},
		{ReplayOf(&aReplay, func(string) string { return "ana" }),
			`{"id":"r1","state":"done","position":9,"rules":{"minimum_sum":9000},"created_at":"2026-03-02T12:00:00.000005Z","created_by":"ana","finished_at":"2026-03-02T12:00:00.000005Z","progress":{"stage":"price","done":3,"of":3}}`},
		{must(reader.decodedEventOf(event, false)),
			`{"position":8,"id":"0199a202-fbd8-768a-8515-9c3809f2a706","stream":"staff-1","version":1,"type":"staff.added","schema":1,"recorded_at":"2026-03-02T12:00:00.000005Z","actor":"staff:1","correlation":"request-1","causation":"command-1","trace":"00-1-2-01","data":{"at":"0001-01-01T00:00:00Z","email":"•••","id":"00000000-0000-0000-0000-000000000000","role":"admin"},"erased":false}`},
		{DeadLetterLineOf(aLetter),
			`{"projection":"stock","position":7,"stream":"stock-1","version":2,"type":"stock.received","attempts":3,"parked_at":"2026-03-02T12:00:00.000005Z","error":"no \u003cnumber\u003e"}`},
		{ProjectionLineOf(aConsumer),
			`{"name":"stock","kind":"read model","state":"catching-up","position":90,"head":100,"lag":10,"lag_seconds":1.5,"rate":12.5,"dead_letters":1,"ranges":[{"range":0,"position":90,"holder":"host/1","term":3},{"range":1,"position":95,"holder":null,"term":0}]}`},
		{BuildLineOf(aBuild),
			`{"id":4,"projection":"stock","kind":"verify","state":"running","phase":"fold","schema":"stock_check","position":100,"progress":0.5,"events":50,"started_at":"2026-03-02T12:00:00.000005Z","finished_at":null,"holder":"","actor":"staff:1","error":"","report":null}`},
		{BuildLineOf(doneBuild),
			`{"id":5,"projection":"stock","kind":"rebuild","state":"done","phase":"","schema":"stock_next","position":100,"progress":1,"events":100,"started_at":"2026-03-02T12:00:00.000005Z","finished_at":"2026-03-02T13:00:00.000005Z","holder":"host/1","actor":"cli:ana","error":"none","report":{"position":100,"compared":10,"missing":0,"extra":0,"changed":1,"new_columns":["level.n"],"sample":[{"table":"level","key":"a","kind":"changed","columns":[{"column":"n","live":"1","fresh":""},{"column":"who","live":"\"•••\"","fresh":"\"•••\"","personal":true},{"column":"t","live":"x","fresh":"null"}]}]}}`},
		{SchemaOf(aModel),
			`{"schema":"stock_at_7","projection":"stock","role":"as-of","version":2,"position":7,"as_of":"2026-03-02T12:00:00.000005Z","made_at":"2026-03-02T12:00:00.000005Z","replaced_at":null}`},
		{must(EventLineOf(event, false)),
			`{"position":8,"stream":"staff-1","version":1,"type":"staff.added","schema":1,"id":"0199a202-fbd8-768a-8515-9c3809f2a706","recorded_at":"2026-03-02T12:00:00.000005Z","metadata":{"correlation_id":"request-1","causation_id":"command-1","actor":"staff:1","trace":"00-1-2-01","imported":true},"data":{"at":"0001-01-01T00:00:00Z","email":"(personal)","id":"00000000-0000-0000-0000-000000000000","role":"admin"}}`},
		{must(EventLineOf(event, true)),
			`{"position":8,"stream":"staff-1","version":1,"type":"staff.added","schema":1,"id":"0199a202-fbd8-768a-8515-9c3809f2a706","recorded_at":"2026-03-02T12:00:00.000005Z","metadata":{"correlation_id":"request-1","causation_id":"command-1","actor":"staff:1","trace":"00-1-2-01","imported":true},"data":{"id":"00000000-0000-0000-0000-000000000000","email":"ana@shop.example","role":"admin","at":"0001-01-01T00:00:00Z"}}`},
		{must(EventLineOf(unreadable, true)),
			`{"position":8,"stream":"staff-1","version":1,"type":"staff.added","schema":1,"id":"0199a202-fbd8-768a-8515-9c3809f2a706","recorded_at":"2026-03-02T12:00:00.000005Z","metadata":{},"erased":true,"data":{"email":7},"error":"is not understood"}`},
	} {
		got, err := json.Marshal(c.view)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != c.want {
			t.Errorf("%T is\n%s, want\n%s", c.view, got, c.want)
		}
	}
}
