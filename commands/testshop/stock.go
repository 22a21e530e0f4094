package testshop

import (
	"context"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
)

// Stock puts a product into a category of its own, with so many pieces on hand.
func Stock(t testing.TB, h *commands.Handler, article string, price domain.Money, pieces int64) uuid.UUID {
	t.Helper()
	ctx := context.Background()
	id, category := uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7())
	goods := &commands.Catalog{Handler: h}
	if _, err := goods.PutCategory(ctx, category, catalog.Category{Link: "face-" + category.String(), Name: "Лицо"}); err != nil {
		t.Fatal(err)
	}
	put := catalog.PutProduct{
		ID: id, CategoryID: category, Article: article, Link: strings.ToLower(article), Price: price, DiscountedPrice: price,
		Text: catalog.ProductText{Name: "Крем " + article, Description: "Питает."},
	}
	if _, err := goods.PutProduct(ctx, put); err != nil {
		t.Fatal(err)
	}
	if _, err := (&commands.Stock{Handler: h}).Receive(ctx, id, pieces, "test"); err != nil {
		t.Fatal(err)
	}
	return id
}
