package dataset

import (
	"context"
	"runtime"
	"sync"

	"shop/eventstore"
)

// Event is a row of the data set events: an event as it is stored. Data is JSON, without its sealed fields when masked.
type Event struct {
	Position   int64  `parquet:"position,delta" about:"Position in the log."`
	ID         string `parquet:"id" about:"The event."`
	Stream     string `parquet:"stream" about:"What it happened to."`
	Version    int64  `parquet:"version" about:"Place in its stream, from 1."`
	Type       string `parquet:"type,dict" about:"What happened."`
	Schema     int32  `parquet:"schema" about:"Version of the shape of data."`
	RecordedAt moment `parquet:"recorded_at,timestamp(microsecond),delta" about:"When it was recorded."`
	Actor      string `parquet:"actor,dict,optional" about:"Who did it; a pseudonym when masked."`
	// CorrelationID and CausationID are null for events without; Imported tells of another shop's past.
	CorrelationID string `parquet:"correlation_id,optional" about:"The request that it comes of."`
	CausationID   string `parquet:"causation_id,optional" about:"The command or event behind it."`
	Imported      bool   `parquet:"imported" about:"It tells of the past of another shop."`
	Data          string `parquet:"data,json" about:"The event as JSON, without personal fields when masked."`
}

type events struct {
	rowsOf[Event]
	mask
}

func newEvents(o Options) source { return &events{newRowsOf[Event](), newMask(o)} }

func (e *events) scanning() eventstore.Scanning {
	return eventstore.Scanning{Metadata: true, Stored: true, Open: !e.hides()}
}

func (e *events) take(_ context.Context, _ Log, events []eventstore.Event) error {
	// Masking looks through every payload, and one event's needs no other's.
	rows := make([]Event, len(events))
	var group sync.WaitGroup
	workers := runtime.GOMAXPROCS(0)
	for first := range workers {
		group.Go(func() {
			for i := first; i < len(events); i += workers {
				rows[i] = e.row(&events[i])
			}
		})
	}
	group.Wait()
	for _, row := range rows {
		if err := e.add(row.RecordedAt, row); err != nil {
			return err
		}
	}
	return nil
}

func (e *events) row(event *eventstore.Event) Event {
	m := event.Metadata
	return Event{
		Position: int64(event.Position), ID: event.ID.String(), Stream: e.name(event.Stream), Version: int64(event.Version),
		Type: event.Type, Schema: int32(event.Schema), RecordedAt: at(event.RecordedAt),
		Actor: e.name(m.Actor), CorrelationID: m.CorrelationID, CausationID: m.CausationID, Imported: m.Imported,
		Data: e.payload(event.Stream, e.words(event, event.Data.(eventstore.Stored))),
	}
}

func (e *events) rest() error { return nil }
