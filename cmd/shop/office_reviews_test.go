package main

import (
	"encoding/json"
	"strings"
	"testing"

	"shop/commands"
	"shop/domain/review"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// TestTheQueueOfReviews: narrowed by each filter, and answered with templates that staff keep.
func TestTheQueueOfReviews(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	d.desks(d.orders())
	p := d.program()
	cream, soap := p.stocked("MK-1", 9000, 10), p.stocked("SO-77", 3000, 10)
	post := func(product int, rating int64) review.State {
		t.Helper()
		of := cream
		if product == 2 {
			of = soap
		}
		posted, _, err := d.shop.Reviews.Write(t.Context(), commands.PostReview{
			ProductID: of, Author: review.Author{Name: "Анна", Email: "anna@example.kz", Phone: "+77011234567"}, Rating: rating, Content: "Крем",
		})
		if err != nil {
			t.Fatal(err)
		}
		return review.State{ID: posted.ID}
	}
	first := post(1, 5)
	post(1, 2)
	post(2, 2)
	support := d.worker(staff.Support)
	support.ask(204, "POST", "/api/staff/reviews/"+first.ID.String()+"/answer/", `{"text":"Спасибо!"}`, nil)
	d.catchUp("reviews", "catalog", "orders")
	for query, want := range map[string]int64{
		"": 3, "stars=2": 2, "stars=2&product=so-77": 1, "product=nothing": 0, "unanswered=true": 2, "photo=true": 0, "state=shown": 3, "state=hidden": 0, "stars=5&unanswered=true": 0, "product=%25": 0,
	} {
		var found reads.FoundReviews
		support.ask(200, "GET", "/api/staff/reviews/?"+query, "", &found)
		if found.Count != want || len(found.Results) != int(want) {
			t.Errorf("%q: %d of %d, want %d", query, len(found.Results), found.Count, want)
		}
	}
	for query, field := range map[string]string{"state=x": "state", "stars=6": "stars", "stars=x": "stars", "limit=0": "limit", "offset=-1": "offset"} {
		var wrong endpoint.FieldErrors
		support.ask(400, "GET", "/api/staff/reviews/?"+query, "", &wrong)
		if len(wrong[field]) == 0 {
			t.Errorf("%q: %v", query, wrong)
		}
	}
	var kept struct {
		Templates []struct{ Name, Text string }
	}
	const path = "/api/staff/reviews/templates/"
	support.ask(204, "PUT", path, `{"templates":[{"name":"Спасибо","text":"{name}, спасибо!"}]}`, nil)
	support.ask(409, "PUT", path, `{"templates":[{"name":"Спасибо","text":"{phone}"}]}`, nil)
	support.ask(200, "GET", path, "", &kept)
	if len(kept.Templates) != 1 || kept.Templates[0].Text != "{name}, спасибо!" {
		t.Errorf("%+v", kept)
	}
	support.ask(404, "GET", "/api/staff/reviews/photos/00000000000000000000000000000000-own-320.jpg/", "", nil)
	for _, role := range staff.Roles {
		w := support
		if role != staff.Support {
			w = d.worker(role)
		}
		for _, path := range []string{"", "templates/"} {
			got := d.ask("GET", "/api/staff/reviews/"+path, "", "Cookie", w.cookie)
			if may := role.May(staff.ModerateReviews); may != (got.Code == 200) || !may && !json.Valid(got.Body.Bytes()) {
				t.Errorf("%s as %s: %d %s", path, role, got.Code, strings.TrimSpace(got.Body.String()))
			}
		}
		if got := d.ask("PUT", path, `{"templates":[]}`, "Cookie", w.cookie); got.Code != 403 {
			t.Errorf("templates as %s without the token: %d", role, got.Code)
		}
	}
}
