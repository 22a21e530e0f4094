package main

import (
	"context"

	"shop/cmd/shop/app"
	"shop/cmd/shop/edge"
	"shop/cmd/shop/pages"
	"shop/commands"
	"shop/commands/staffapi"
	"shop/eventstore"
	"shop/projections"
	"shop/projections/preview"
	"shop/readapi/replicas"
)

// shownModels are the read models of which pages of the storefront show something that a change may set.
func shownModels() []projections.Projection {
	return []projections.Projection{
		projections.Catalog(), projections.Stock(), projections.Rules(), projections.Settings(), projections.Content(), projections.Documents(), projections.Posts(),
	}
}

// withPreview lets the desk of changes show pages.
func withPreview(d staffapi.Desks, p *edge.Preview) staffapi.Desks {
	d.Changes.Storefront = p
	return d
}

// previewOf draws pages of a shop with changes that are still to come.
func previewOf(s *app.Shop, orders *commands.Orders, drawn *pages.Pages) *edge.Preview {
	previews := preview.New(s.Pool)
	return &edge.Preview{
		Pages: drawn,
		With: func(ctx context.Context, events []eventstore.Event, see func(ctx context.Context, db replicas.DB, touched map[string][]string) error) error {
			return previews.With(ctx, shownModels(), events, func(ctx context.Context, db *preview.Overlay) error { return see(ctx, db, db.Touched()) })
		},
		Reads: func(db replicas.DB) edge.Reads { return shopReads(s, orders, db) },
	}
}
