package commands

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/google/uuid"

	"shop/domain"
	"shop/domain/catalog"
)

const (
	// maxLines is how many different products a basket may hold, maxPieces the most pieces worth pricing in a line.
	maxLines  = 100
	maxPieces = 9999

	msgLines     = "Ожидается список товаров"
	msgTooMany   = "Не больше 100 разных товаров в заказе"
	msgLine      = "Укажите товар и количество"
	msgPieces    = "Укажите количество целым числом от 1 до 9999"
	msgRepeated  = "Этот товар уже есть в заказе"
	msgOutOf     = "Товара нет в наличии"
	msgNotEnough = "Товар заканчивается, Вы можете заказать не больше %d штук"
)

// line is one line of a request: a product by id or link, and how many pieces.
type line struct {
	Product string `json:"product"`
	Amount  int64  `json:"amount"`
}

// lines reads {"products": [{"product", "amount"}]}. One bad line makes the whole field a list with an entry per line.
func (f *form) lines(name string) []line {
	v, given := f.value(name)
	if !given {
		f.refuse(name, msgRequired)
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		f.refuse(name, msgLines)
		return nil
	}
	if len(list) > maxLines {
		f.refuse(name, msgTooMany)
		return nil
	}
	lines := make([]line, len(list))
	wrong := make([]LineError, len(list))
	bad := false
	for i, v := range list {
		lines[i], wrong[i] = readLine(v)
		bad = bad || len(wrong[i]) > 0
	}
	if bad {
		if _, ok := f.wrong[name]; !ok {
			f.wrong[name] = wrong
		}
		return nil
	}
	return lines
}

// readLine says one thing that is wrong: with the product, or else with the amount.
func readLine(v any) (line, LineError) {
	o, ok := v.(object)
	if !ok {
		return line{}, LineError{"product": []string{msgLine}}
	}
	f := newForm(o)
	l := line{Product: f.text("product", textRule{max: 200, required: true})}
	amount, given := f.value("amount")
	n, ok := whole(amount)
	if l.Amount = n; !given {
		f.refuse("amount", msgRequired)
	} else if !ok || n < 1 || n > maxPieces {
		f.refuse("amount", msgPieces)
	}
	for _, name := range slices.Sorted(maps.Keys(f.values)) {
		if !f.known[name] {
			f.refuse("product", msgUnknown+" «"+name+"»")
		}
	}
	for _, name := range []string{"product", "amount"} {
		if message, wrong := f.wrong[name]; wrong {
			return l, LineError{name: message}
		}
	}
	if len(f.wrong) > 0 {
		return l, LineError{"product": []string{msgTwice}}
	}
	return l, LineError{}
}

// links finds products by their links; a read model can. Those it does not know are not in the answer.
type links interface {
	ProductsByLink(ctx context.Context, links []string) (map[string]domain.ID, error)
}

// identify turns products given by link into ids, in one question, or in none when this process follows the products that
// had those links last. A product nobody knows gets the zero ID.
func (h *Handler) identify(ctx context.Context, asked []line, by links) ([]Line, error) {
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
