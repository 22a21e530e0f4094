package changes_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/uuid"

	"shop/commands/changes"
	"shop/domain"
	"shop/domain/catalog"
)

// tree is what the read side says is below what.
type tree map[domain.ID][]domain.ID

func (t tree) CategoriesBelow(context.Context, []domain.ID) (map[domain.ID][]domain.ID, error) {
	return t, nil
}

// TestCategoriesHaveTwoLevels: nothing is put below a category that is below another, nor is a category with others below it.
func TestCategoriesHaveTwoLevels(t *testing.T) {
	t.Parallel()
	d := open(t)
	added := 0
	add := func(parent domain.ID) (domain.ID, error) {
		id := uuid.Must(uuid.NewV7())
		added++
		text := fmt.Sprintf(`{"parent_id":%q,"link":"k-%d","name":"Уход %[2]d"}`, parent, added)
		_, err := d.Propose(as(t, "staff:a"), proposal(asked("category", id, "whole", "null", text)))
		return id, err
	}
	below := func(id, parent domain.ID) changes.Asked {
		return asked("category", id, "parent_id", "", fmt.Sprintf("%q", parent))
	}
	top, err := add(domain.ID{})
	other, second := add(domain.ID{})
	child, third := add(top)
	if err != nil || second != nil || third != nil {
		t.Fatal(err, second, third)
	}
	refused := func(what string, want *domain.Refusal, err error) {
		t.Helper()
		var items *changes.Refused
		if !errors.As(err, &items) || items.Rows[0].Code != want.Code {
			t.Errorf("%s: %v, want %s", what, err, want.Code)
		}
	}
	_, err = add(child)
	refused("a new one on the third level", catalog.ErrTooDeep, err)
	_, err = add(uuid.New())
	refused("a new one below nothing", catalog.ErrUnknown, err)
	_, err = d.Propose(as(t, "staff:a"), proposal(below(other, child)))
	refused("one that moves to the third level", catalog.ErrTooDeep, err)

	d.Tree = tree{top: {child}}
	_, err = d.Propose(as(t, "staff:a"), proposal(below(top, other)))
	refused("one with another below it", catalog.ErrTooDeep, err)
	made := d.must(proposal(below(child, other), below(top, other)))
	d.Tree = tree{other: {child, top}}
	if _, err := d.Undo(as(t, "staff:a"), changes.Undoing{Change: made.ID, May: everything}); err != nil {
		t.Errorf("both back: %v", err)
	}
	d.Tree = tree{top: {child}}
	d.must(proposal(asked("category", child, "name", "", `"Кремы"`)))
}
