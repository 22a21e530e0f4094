package persons

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"shop/domain/customer"
	"shop/domain/order"
	"shop/domain/review"
	"shop/eventstore"
	"shop/projections"
	"shop/projections/past"
)

// Orders are rows of orders as they were, by id. One that was not there yet is absent.
func Orders(ctx context.Context, log past.Log, ids []uuid.UUID) (map[uuid.UUID]projections.Order, error) {
	return rows[projections.Order](ctx, log, projections.Orders().Tables[0], order.Stream, ids, forgotten[order.Forgotten])
}

// Reviews are rows of reviews as they were, by id. One that was not there yet is absent.
func Reviews(ctx context.Context, log past.Log, ids []uuid.UUID) (map[uuid.UUID]projections.Review, error) {
	return rows[projections.Review](ctx, log, projections.Reviews().Tables[0], review.Stream, ids, forgotten[review.Forgotten])
}

// Customers are rows of accounts as they were, by id; those of now for people erased since. One that was not there yet is absent.
func Customers(ctx context.Context, log past.Log, ids []uuid.UUID) (map[uuid.UUID]projections.Account, error) {
	return rows[projections.Account](ctx, log, projections.Customers().Tables[0], customer.Stream, ids, erased)
}

// Customer is the row of an account as it was, of all events of its stream; that of now when the person is erased since. False: there was none.
func Customer(log past.Log, id uuid.UUID, all []eventstore.Event) (row projections.Account, known bool, err error) {
	return row, len(log.Until(all)) > 0, fold(&row, projections.Customers().Tables[0], id, erased(log, all))
}

// told are the events of a stream that are told of a moment.
type told func(log past.Log, all []eventstore.Event) []eventstore.Event

// forgotten are those of the moment, and that it was forgotten since whom they are about.
func forgotten[Forgotten any](log past.Log, all []eventstore.Event) []eventstore.Event {
	events := log.Until(all)
	if last := slices.IndexFunc(all, is[Forgotten]); last >= len(events) {
		events = append(slices.Clone(events), all[last])
	}
	return events
}

// erased are those of the moment; all when the person is erased since.
func erased(log past.Log, all []eventstore.Event) []eventstore.Event {
	if slices.ContainsFunc(all, is[customer.Erased]) {
		return all
	}
	return log.Until(all)
}

func is[E any](e eventstore.Event) bool { _, ok := e.Data.(E); return ok }

// rows are rows of a table by the ids of their streams.
func rows[R any](ctx context.Context, log past.Log, table projections.AnyTable, stream func(uuid.UUID) string, ids []uuid.UUID, of told) (map[uuid.UUID]R, error) {
	from := make([]eventstore.From, len(ids))
	for i, id := range ids {
		from[i].Stream = stream(id)
	}
	streams, err := log.Store.Load(ctx, from...)
	if err != nil {
		return nil, fmt.Errorf("read who people were: %w", err)
	}
	found := make(map[uuid.UUID]R, len(ids))
	for _, id := range ids {
		all := streams[stream(id)]
		if len(log.Until(all)) == 0 {
			continue
		}
		var row R
		if err := fold(&row, table, id, of(log, all)); err != nil {
			return nil, err
		}
		found[id] = row
	}
	return found, nil
}

// fold folds a stream into the row of a read model's table.
func fold[R any](row *R, table projections.AnyTable, id uuid.UUID, events []eventstore.Event) error {
	types := table.Definition().Types
	for _, e := range events {
		if !slices.Contains(types, e.Type) {
			continue
		}
		if _, err := table.FoldRow(id.String(), row, e); err != nil {
			return err
		}
	}
	return nil
}
