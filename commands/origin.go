package commands

import (
	"context"
	"strings"

	"github.com/google/uuid"
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
	// Language is that of the page behind a request; empty is Russian.
	Language string
	// Imported: the command records the past of another system.
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

// customerActor begins the actor of a customer's commands; their id follows.
const customerActor = "customer:"

// AsCustomer lets the commands under ctx be a customer's.
func AsCustomer(ctx context.Context, id domain.ID) context.Context {
	origin := OriginOf(ctx)
	origin.Actor = customerActor + id.String()
	return WithOrigin(ctx, origin)
}

// CustomerOf is the customer who is signed in under ctx; zero: nobody.
func CustomerOf(ctx context.Context) domain.ID {
	text, ok := strings.CutPrefix(OriginOf(ctx).Actor, customerActor)
	if !ok {
		return domain.ID{}
	}
	id, _ := uuid.Parse(text)
	return id
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

// StartSpan starts a command's span; the command defers what it returns with its error. A refusal is an answer like
// any other, only the shop's own trouble makes the span an error.
func StartSpan(ctx context.Context, command string) (context.Context, func(*error)) {
	ctx, span := otel.Tracer("shop/commands").Start(ctx, command, trace.WithSpanKind(trace.SpanKindInternal))
	return ctx, func(err *error) {
		if *err != nil {
			if !IsAnswer(*err) {
				span.RecordError(*err)
				span.SetStatus(codes.Error, (*err).Error())
			}
		}
		span.End()
	}
}
