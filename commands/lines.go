package commands

import (
	"context"
	"fmt"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/catalog"
)

const (
	msgRepeated  = "Этот товар уже есть в заказе"
	msgOutOf     = "Товара нет в наличии"
	msgNotEnough = "Товар заканчивается, Вы можете заказать не больше %d штук"
)

// NamedLine asks for Amount pieces of a product, named by its id or its link.
type NamedLine struct {
	Product string `json:"product"`
	Amount  int64  `json:"amount"`
}

// Links finds products by their links; a read model can. Those it does not know are not in the answer.
type Links interface {
	ProductsByLink(ctx context.Context, links []string) (map[string]domain.ID, error)
}

// Identify turns products given by link into ids, in one question, or in none when this process follows the products that
// had those links last. A product nobody knows gets the zero ID.
func (h *Handler) Identify(ctx context.Context, asked []NamedLine, by Links) ([]Line, error) {
	lines := make([]Line, len(asked))
	var unknown []string
	for i, l := range asked {
		lines[i].Amount = l.Amount
		if id, err := uuid.Parse(l.Product); err == nil && len(l.Product) == 36 {
			lines[i].ProductID = id
		} else if id, ok := h.linked(ctx, l.Product); ok {
			lines[i].ProductID = id
		} else {
			unknown = append(unknown, l.Product)
		}
	}
	if len(unknown) == 0 || by == nil {
		return lines, nil
	}
	found, err := by.ProductsByLink(ctx, unknown)
	if err != nil {
		return nil, fmt.Errorf("find products by link: %w", err)
	}
	for i, l := range asked {
		if id, ok := found[l.Product]; ok && lines[i].ProductID == uuid.Nil {
			lines[i].ProductID = id
			h.links.Add(l.Product, id)
		}
	}
	return lines, nil
}

// linked is the product that had a link when somebody asked last, if the state followed says that it still has.
func (h *Handler) linked(ctx context.Context, link string) (domain.ID, bool) {
	id, ok := h.links.Get(link)
	if !ok || !upToDate(h.memory.sight.Load(), catalog.ProductStream(id), seenBy(ctx)) {
		return domain.ID{}, false
	}
	known, ok := h.memory.shared.Get(catalog.ProductStream(id))
	if !ok {
		return domain.ID{}, false
	}
	product, ok := known.state.(catalog.ProductState)
	return id, ok && product.Link == link && !product.Archived // else another may have it by now
}
