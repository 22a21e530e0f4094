package signin

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
)

func TestWhoElseHasAThingOpen(t *testing.T) {
	t.Parallel()
	d := openDesk(t)
	other, err := d.Reserve(t.Context(), uuid.Must(uuid.NewV7()), "b@shop.example", "manager")
	if err != nil {
		t.Fatal(err)
	}
	others := func(account uuid.UUID, id string, editing bool) string {
		t.Helper()
		found, err := d.Present(t.Context(), account, "product", id, editing)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, p := range found {
			said += fmt.Sprintf("%s %v %s;", p.Email, p.Editing, p.Since.UTC().Format("15:04:05"))
		}
		return said
	}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("present are %q, want %q", got, want)
		}
	}
	want(others(d.id, "one", false), "")
	d.pass(10 * time.Second)
	want(others(other, "one", false), "a@shop.example false 07:00:00;")
	want(others(other, "two", false), "")
	d.pass(10 * time.Second)
	want(others(d.id, "one", true), "b@shop.example false 07:00:10;")
	want(others(other, "one", false), "a@shop.example true 07:00:00;") // still the same visit

	if err := d.Left(t.Context(), d.id, "product", "one"); err != nil {
		t.Fatal(err)
	}
	want(others(other, "one", false), "")

	others(d.id, "one", true)
	d.pass(absentAfter + time.Second) // the browser died
	want(others(other, "one", false), "")
	want(others(d.id, "one", false), "b@shop.example false 07:01:06;") // a visit of its own
	d.pass(absentAfter + time.Second)
	others(other, "three", false)
	var rows int
	if err := d.pool.QueryRow(t.Context(), "SELECT count(*) FROM staff_presence").Scan(&rows); err != nil || rows != 1 {
		t.Errorf("%d rows are kept, %v", rows, err)
	}
}
