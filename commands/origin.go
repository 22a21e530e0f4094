package commands

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"shop/domain"
	"shop/eventstore"
)

// Origin says where a command comes from; it becomes the metadata of the events.
type Origin struct {
	// Correlation is shared by all that one request caused. Empty: the command starts its own.
	Correlation string
	// Causation is the request or event behind the command. Empty: the correlation.
	Causation string
	// Actor is guest, customer:<id>, staff:<name>, system:<part>. Empty: guest.
	Actor string
	// Network is where a request came from: what attempts are counted by. It is no metadata and is kept nowhere.
	Network string
	// Imported: the command tells of another system's past.
	Imported bool
}

type originKey struct{}

// WithOrigin lets the commands under ctx carry an origin.
func WithOrigin(ctx context.Context, o Origin) context.Context {
	return context.WithValue(ctx, originKey{}, o)
}

// OriginOf is the origin under ctx; the zero value without one.
func OriginOf(ctx context.Context) Origin {
	o, _ := ctx.Value(originKey{}).(Origin)
	return o
}

func metadata(ctx context.Context, newID func() domain.ID) eventstore.Metadata {
	o := OriginOf(ctx)
	m := eventstore.Metadata{CorrelationID: o.Correlation, CausationID: o.Causation, Actor: o.Actor, Imported: o.Imported}
	if m.CorrelationID == "" {
		m.CorrelationID = newID().String()
	}
	if m.CausationID == "" {
		m.CausationID = m.CorrelationID
	}
	if m.Actor == "" {
		m.Actor = "guest"
	}
	return m // the trace is the store's to add, from its own span
}

// begin starts a command's span; the command defers what it returns with its error. A refusal is an answer like
// any other, only the shop's own trouble makes the span an error.
func begin(ctx context.Context, command string) (context.Context, func(*error)) {
	ctx, span := otel.Tracer("shop/commands").Start(ctx, command, trace.WithSpanKind(trace.SpanKindInternal))
	return ctx, func(err *error) {
		if *err != nil {
			if status, _, _ := Answer(*err); status >= 500 {
				span.RecordError(*err)
				span.SetStatus(codes.Error, (*err).Error())
			}
		}
		span.End()
	}
}
