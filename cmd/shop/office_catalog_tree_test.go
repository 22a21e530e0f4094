package main

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	"shop/domain/staff"
)

// TestACategoryWithOthersBelowStaysOnTop: the read model of the catalog knows what is below a category.
func TestACategoryWithOthersBelowStaysOnTop(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t)
	d.desks(d.orders())
	keeper := d.worker(staff.Manager)
	put := func(status int, id uuid.UUID, field, now string) (said struct {
		Results []struct{ Code string }
	}) {
		t.Helper()
		keeper.ask(status, "POST", "/api/staff/changes/", fmt.Sprintf(`{"title":"Дерево","items":[{"thing":"category","id":%q,"field":%q,"now":%s}]}`, id, field, now), &said)
		d.projectChanges()
		return said
	}
	face, body, creams := uuid.New(), uuid.New(), uuid.New()
	put(201, face, "whole", `{"link":"face","name":"Лицо"}`)
	put(201, body, "whole", `{"link":"body","name":"Тело"}`)
	put(201, creams, "whole", fmt.Sprintf(`{"link":"creams","name":"Кремы","parent_id":%q}`, face))
	if said := put(409, face, "parent_id", fmt.Sprintf("%q", body)); said.Results[0].Code != "catalog/too-deep" {
		t.Errorf("a category with one below it: %+v", said)
	}
	put(201, creams, "archived", "true")
	put(201, face, "parent_id", fmt.Sprintf("%q", body))
}
