package importer

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/importer/catalogfile"
	"shop/domain"
	"shop/domain/catalog"
	"shop/eventstore"
)

// ProductID is the identifier that an import gives to a product of a new article.
func ProductID(article string) domain.ID {
	return commands.ProductID(article)
}

// names finds what the catalog has by what a file calls it, and knows which links are taken. It is learned from the
// log, not from a read model, because what was appended a moment ago must be in it.
type names struct {
	articles   map[string]domain.ID
	brands     map[string]domain.ID
	marks      map[string]domain.ID
	categories map[placeInTree]domain.ID
	// links of each kind, with who has them.
	productLinks, brandLinks, categoryLinks commands.LinkBook
	// children counts the categories under each one.
	children map[domain.ID]int
	// inTree are the categories as they are, told those that the file has given a name in Kazakh.
	inTree map[domain.ID]catalog.Category
	told   map[domain.ID]bool
}

// placeInTree is a category's name under its parent; a zero parent is the top.
type placeInTree struct {
	parent domain.ID
	name   string
}

// nameKey is what makes two names the same: case, ё and spacing do not count.
func nameKey(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.Join(strings.Fields(name), " ")), "ё", "е")
}

// readNames learns the names from the log.
func readNames(ctx context.Context, log commands.LogReader) (*names, error) {
	n := &names{
		articles: map[string]domain.ID{}, brands: map[string]domain.ID{}, marks: map[string]domain.ID{},
		categories: map[placeInTree]domain.ID{}, children: map[domain.ID]int{},
		inTree: map[domain.ID]catalog.Category{}, told: map[domain.ID]bool{},
		productLinks: commands.NewLinkBook(), brandLinks: commands.NewLinkBook(), categoryLinks: commands.NewLinkBook(),
	}
	q := eventstore.Query{Range: -1, Limit: commands.NamesPage, Types: []string{
		catalog.ProductAdded{}.EventType(),
		catalog.BrandAdded{}.EventType(), catalog.BrandChanged{}.EventType(), catalog.BrandArchived{}.EventType(),
		catalog.CategoryAdded{}.EventType(), catalog.CategoryChanged{}.EventType(), catalog.CategoryArchived{}.EventType(),
		catalog.MarkAdded{}.EventType(), catalog.MarkChanged{}.EventType(), catalog.MarkArchived{}.EventType(),
	}}
	for {
		events, err := log.Read(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("read the catalog's names: %w", err)
		}
		for _, e := range events {
			if err := n.learn(e); err != nil {
				return nil, fmt.Errorf("read the catalog's names: %w", err)
			}
		}
		if len(events) < commands.NamesPage {
			return n, nil
		}
		q.After = events[len(events)-1].Position
	}
}

func (n *names) learn(event eventstore.Event) error {
	_, suffix, _ := strings.Cut(event.Stream, "-")
	id, err := uuid.Parse(suffix)
	if err != nil {
		return fmt.Errorf("stream %s: %w", event.Stream, err)
	}
	switch e := event.Data.(type) {
	case catalog.ProductAdded:
		n.articles[e.Article] = id
		n.productLinks.Set(id, e.Link)
	case catalog.BrandAdded:
		n.putBrand(id, e.Brand)
	case catalog.BrandChanged:
		n.putBrand(id, e.Brand)
	case catalog.BrandArchived:
		forget(n.brands, id)
	case catalog.CategoryAdded:
		n.putCategory(id, e.Category)
	case catalog.CategoryChanged:
		n.putCategory(id, e.Category)
	case catalog.CategoryArchived:
		forget(n.categories, id)
	case catalog.MarkAdded:
		n.putMark(id, e.Mark)
	case catalog.MarkChanged:
		n.putMark(id, e.Mark)
	case catalog.MarkArchived:
		forget(n.marks, id)
	}
	return nil
}

// forget takes an archived or renamed entry out; what is asked for by its old name is then added anew.
func forget[K comparable](known map[K]domain.ID, id domain.ID) {
	for key, other := range known {
		if other == id {
			delete(known, key)
		}
	}
}

func (n *names) putBrand(id domain.ID, b catalog.Brand) {
	n.brands[nameKey(b.Name)] = id
	n.brandLinks.Set(id, b.Link)
}

func (n *names) putMark(id domain.ID, m catalog.Mark) { n.marks[nameKey(m.Name)] = id }

func (n *names) putCategory(id domain.ID, c catalog.Category) {
	place := placeInTree{c.ParentID, nameKey(c.Name)}
	if _, known := n.categories[place]; !known {
		n.children[c.ParentID]++
	}
	n.categories[place] = id
	n.categoryLinks.Set(id, c.Link)
	n.inTree[id] = c
}

// namedCategory is a category before a row gives it a name in Kazakh, and with that name.
type namedCategory struct {
	id            domain.ID
	before, after catalog.Category
}

// inKazakh gives the categories of a row, the top and its own, the names in Kazakh that it has for them, and answers those that had another.
// Of several names of a category the first counts.
func (n *names) inKazakh(top domain.ID, row *importRow) (named []namedCategory) {
	name := func(id domain.ID, kazakh string) {
		before := n.inTree[id]
		if kazakh == "" || n.told[id] {
			return
		}
		n.told[id] = true
		if before.Kazakh.Name == kazakh {
			return
		}
		after := before
		after.Kazakh.Name = kazakh
		n.inTree[id] = after
		named = append(named, namedCategory{id, before, after})
	}
	if levels := row.CategoryKazakh; len(levels) > 0 {
		if top != row.category {
			name(top, levels[0])
		}
		name(row.category, levels[len(levels)-1])
	}
	return named
}

// product answers the identifier of an article and whether the catalog has it.
func (n *names) product(article string) (id domain.ID, known bool) {
	if id, known = n.articles[article]; known {
		return id, true
	}
	id = ProductID(article)
	n.articles[article] = id
	return id, false
}

// link is a known product's own, or for a new one: what the file asks for, or brand and name, and where that is
// taken, also the package's size, and then the article.
func (n *names) link(id domain.ID, row catalogfile.Row) string {
	full := joinSlugs(row.Brand, row.Name)
	return n.productLinks.Give(id, row.Link, full, joinSlugs(full, row.PackageSize), joinSlugs(full, row.Article))
}

// brand answers the identifier of a brand and, when the catalog lacks it, the brand to add; mark and category
// likewise.
func (n *names) brand(name string) (domain.ID, *catalog.Brand) {
	if id, known := n.brands[nameKey(name)]; known {
		return id, nil
	}
	id := commands.MadeOf("brand", nameKey(name))
	b := catalog.Brand{Name: name, Link: n.brandLinks.Give(id, Slug(name))}
	n.putBrand(id, b)
	return id, &b
}

func (n *names) mark(name string) (domain.ID, *catalog.Mark) {
	if id, known := n.marks[nameKey(name)]; known {
		return id, nil
	}
	id := commands.MadeOf("mark", nameKey(name))
	m := catalog.Mark{Name: name}
	n.putMark(id, m)
	return id, &m
}

func (n *names) category(parent domain.ID, parentName, name string) (domain.ID, *catalog.Category) {
	if id, known := n.categories[placeInTree{parent, nameKey(name)}]; known {
		return id, nil
	}
	id := categoryID(parentName, name)
	c := catalog.Category{
		Name: name, ParentID: parent, Order: n.children[parent] + 1, Placeholder: placeholderOf(name),
		Link: n.categoryLinks.Give(id, Slug(name), joinSlugs(parentName, name)),
	}
	n.putCategory(id, c)
	return id, &c
}

func categoryID(parentName, name string) domain.ID {
	return commands.MadeOf("category", nameKey(parentName)+">"+nameKey(name))
}

// placeholders are the drawings for products without a picture, by what a category's name begins a word with.
var placeholders = []struct{ kind, stems string }{
	{"dropper", "сыворот serum treatment"},
	{"soap", "мыл soap"},
	{"deodorant", "дезодор deodor"},
	{"candle", "аромат свеч candle fragrance"},
	{"box", "порош таблет powder tablet"},
	{"canister", "стирк бель laundry"},
	{"oil", "масл борода oil"},
	{"tin", "губ бальзам lip balm"},
	{"pump", "шампун очищ умыван посуд shampoo cleans"},
	{"spray", "уборк спре clean spray"},
	{"bottle", "гел тоник кондицион ополаск шампун toner gel lotion"},
	{"tube", "рук ног стоп паст солн tooth sun hand foot"},
	{"jar", "крем маск скраб cream mask moistur"},
}

func placeholderOf(category string) string {
	for _, p := range placeholders {
		for _, word := range strings.Fields(nameKey(category)) {
			for _, stem := range strings.Fields(p.stems) {
				if strings.HasPrefix(word, stem) {
					return p.kind
				}
			}
		}
	}
	return ""
}
