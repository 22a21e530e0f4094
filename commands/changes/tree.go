package changes

import (
	"context"
	"encoding/json"
	"slices"

	"shop/commands"
	"shop/domain"
	"shop/domain/catalog"
)

// Tree says which categories are below others, as the read side has them.
type Tree interface {
	// CategoriesBelow are the categories in force that are right below those asked for.
	CategoriesBelow(ctx context.Context, categories []domain.ID) (map[domain.ID][]domain.ID, error)
}

// parentOf is the category that an item puts a category below; zero: none.
func parentOf(a Asked) (parent domain.ID) {
	if a.Thing != "category" {
		return parent
	}
	switch a.Field {
	case "parent_id":
		json.Unmarshal(a.Now, &parent) // what is no id is refused later
	case wholeField:
		var whole struct {
			ParentID domain.ID `json:"parent_id"`
		}
		json.Unmarshal(a.Now, &whole)
		parent = whole.ParentID
	}
	return parent
}

// tooDeep marks the items that put a category below another one although it has categories below itself that the change leaves there.
func (c *Changes) tooDeep(ctx context.Context, items []Asked) (map[int]bool, error) {
	var put []domain.ID
	moved := map[domain.ID]bool{}
	for _, a := range items {
		id, err := idOf(a.ID)
		if err != nil || a.Thing != "category" {
			continue
		}
		moved[id] = moved[id] || a.Field == "parent_id" || a.Field == wholeField || a.Field == "archived"
		if parentOf(a) != (domain.ID{}) {
			put = append(put, id)
		}
	}
	if c.Tree == nil || len(put) == 0 {
		return nil, nil
	}
	below, err := c.Tree.CategoriesBelow(ctx, put)
	if err != nil {
		return nil, err
	}
	deep := map[int]bool{}
	for i, a := range items {
		if parentOf(a) == (domain.ID{}) {
			continue
		}
		id, _ := idOf(a.ID) // it was one above
		deep[i] = slices.ContainsFunc(below[id], func(child domain.ID) bool { return !moved[child] })
	}
	return deep, nil
}

// putBelow refuses a parent that is not there or has one itself, and depends on its staying as it is.
func putBelow(u *commands.Unit, from, to domain.ID) error {
	if to == from || to == (domain.ID{}) {
		return nil
	}
	parent := commands.CategoryStream(to)
	if err := u.Load(parent); err != nil {
		return err
	}
	switch s := parent.State(u); {
	case !s.Exists() || s.Archived:
		return catalog.ErrUnknown.With("There is no such parent.")
	case s.Category.ParentID != (domain.ID{}):
		return catalog.ErrTooDeep
	}
	u.Assert(parent)
	return nil
}
