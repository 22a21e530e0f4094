package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"shop/cmd/shop/edge"
	"shop/cmd/shop/terminal"
	"shop/commands"
	"shop/commands/staffapi"
	"shop/domain/review"
	"shop/domain/staff"
	"shop/migrations/pgtest"
	reads "shop/readapi/staff"
)

// register opens an account and returns the header of who is signed in.
func (s *served) register(email string) []string {
	s.t.Helper()
	status, _, body := s.send("POST", "/api/auth/register/", strings.NewReader(fmt.Sprintf(`{"first_name":"Анна","last_name":"Ким","email":%q,
		"phone":"87011234567","password":"long enough","password_check":"long enough","consent":true}`, email)))
	var in struct {
		Access string `json:"access"`
	}
	if err := json.Unmarshal([]byte(body), &in); err != nil || in.Access == "" {
		s.t.Fatalf("register: %d %s", status, body)
	}
	return []string{"Authorization", "Bearer " + in.Access}
}

// review posts one with a photo of so many pixels.
func (s *served) review(product uuid.UUID, pixels int, headers ...string) (status int, position, body string) {
	s.t.Helper()
	return s.reviewBy(product, pixels, "Анна", "anna@example.kz", "87011234567", headers...)
}

// reviewBy is review by somebody else.
func (s *served) reviewBy(product uuid.UUID, pixels int, name, email, phone string, headers ...string) (status int, position, body string) {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{
		"product": product.String(), "name": name, "email": email, "phone": phone, "rating": "4", "content": "Хороший крем",
	} {
		_ = w.WriteField(name, value)
	}
	file, _ := w.CreateFormFile("images", "photo.jpg")
	noise := image.NewGray(image.Rect(0, 0, pixels, pixels))
	for i := range noise.Pix {
		noise.Pix[i] = byte(i * i >> 3)
	}
	_ = jpeg.Encode(file, noise, &jpeg.Options{Quality: 100})
	_ = w.Close()
	status, header, body := s.send("POST", "/api/products/review/", &form, append(headers, "Content-Type", w.FormDataContentType())...)
	return status, header.Get("X-Event-Position"), body
}

func TestReviewWithPhotoFromShopperToShopper(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	status, position, body := s.review(cream, 2000) // larger than other requests may be
	var posted struct{ ID uuid.UUID }
	if err := json.Unmarshal([]byte(body), &posted); err != nil || status != 201 {
		t.Fatalf("%d %s", status, body)
	}
	_, _, page := s.send("GET", "/api/products/mk-1/", nil, "X-Min-Position", position)
	var shown struct {
		Rating  float64 `json:"rating"`
		Count   int     `json:"reviews_count"`
		Reviews []struct {
			Images []struct{ Image string } `json:"images"`
		} `json:"reviews"`
	}
	if err := json.Unmarshal([]byte(page), &shown); err != nil || shown.Rating != 4 || shown.Count != 1 || len(shown.Reviews[0].Images) != 1 {
		t.Fatalf("%v %s", err, page)
	}
	status, header, photo := s.send("GET", shown.Reviews[0].Images[0].Image, nil)
	if status != 200 || header.Get("Content-Type") != "image/jpeg" || header.Get("Cache-Control") != "private, max-age=31536000, immutable" || !strings.HasPrefix(photo, "\xff\xd8\xff") {
		t.Errorf("photo: %d %v", status, header)
	}
	if status, _, _ := s.send("GET", "/media/00000000000000000000000000000000-320.jpg", nil); status != 404 {
		t.Errorf("a photo of nobody: %d", status)
	}
	if list := p.ok("reviews", "list"); !strings.Contains(list, posted.ID.String()) || !strings.Contains(list, "shown") {
		t.Errorf("list:\n%s", list)
	}
	id := posted.ID.String()
	for _, step := range []struct {
		args   []string
		status int // of the photo from then on
	}{
		{[]string{"answer", id, "--text", "Спасибо!"}, 200}, {[]string{"hide", id, "--reason", "проверка"}, 404},
		{[]string{"show", id}, 200}, {[]string{"remove-photos", id}, 404},
	} {
		if said := p.ok(append([]string{"reviews"}, step.args...)...); said != "review "+id+": done\n" {
			t.Errorf("%s: %s", step.args[0], said)
		}
		status, header, _ := s.send("GET", shown.Reviews[0].Images[0].Image, nil)
		if status != step.status || status == 404 && header.Get("Cache-Control") != "no-store" {
			t.Errorf("the photo after %s: %d %v", step.args[0], status, header)
		}
	}
	until(t, "the answer is there and the photo is not", func() bool {
		_, body := s.get("/api/products/mk-1/reviews/")
		return strings.Contains(body, "Спасибо!") && !strings.Contains(body, "/media/")
	})
	if r := p.run("reviews", "show", uuid.NewString()); r.status != terminal.Failed {
		t.Errorf("a review of nobody: %+v", r)
	}
	if r := p.run("reviews", "hide", id); r.status != terminal.Misuse {
		t.Errorf("hidden for no reason: %+v", r)
	}
	// The sixth of one address in an hour is one too many.
	for range 4 {
		s.review(cream, 10)
	}
	if status, _, body := s.review(cream, 10); status != http.StatusTooManyRequests {
		t.Errorf("%d %s", status, body)
	}
}

// TestStaffChangeReviews: what staff answer, hide and show over HTTP, as the contract describes it, and who may.
func TestStaffChangeReviews(t *testing.T) {
	t.Parallel()
	d := openStaffDesk(t, "SHOP_SIGNIN_RATE=0")
	*d.site.StaffReviews = staffapi.Reviews{Reviews: d.shop.Reviews, Lines: reads.Shop{DB: d.shop.Pool}}
	p := d.program()
	posted, _, err := d.site.StaffReviews.Reviews.Write(t.Context(), commands.PostReview{
		ProductID: p.stocked("MK-1", 9000, 10), Author: review.Author{Name: "Анна", Email: "anna@example.kz", Phone: "+77011234567"}, Rating: 4, Content: "Хороший крем",
	})
	if err != nil {
		t.Fatal(err)
	}
	d.add("help@shop.example", staff.Support)
	cookie, view := d.signIn("help@shop.example")
	answers := newOpsAnswers(t)
	ask := func(method, path, body string) (status int, said string) {
		t.Helper()
		path = "/api/staff/reviews/" + path
		w := d.ask(method, path, body, "Cookie", cookie, edge.CsrfHeader, view.CSRF)
		answers.check(method, path, w)
		return w.Code, w.Body.String()
	}
	listed := func(state string) (lines []reads.ReviewLine) {
		t.Helper()
		if err := d.shop.CatchUp(t.Context(), terminal.World{Stderr: &strings.Builder{}}, "reviews", "catalog"); err != nil {
			t.Fatal(err)
		}
		var list struct{ Results []reads.ReviewLine }
		if status, body := ask("GET", "?state="+state, ""); status != 200 || json.Unmarshal([]byte(body), &list) != nil {
			t.Fatalf("the list of %s: %d %s", state, status, body)
		}
		return list.Results
	}

	if shown := listed("shown"); len(shown) != 1 || shown[0].ID != posted.ID || shown[0].Content != "Хороший крем" {
		t.Errorf("shown: %+v", shown)
	}
	for _, step := range []struct {
		change, body string
		status       int
	}{
		{"answer", `{"text":"Спасибо!"}`, 204},
		{"hide", `{"text":""}`, 409},
		{"hide", `{"text":"проверка"}`, 204},
		{"remove-photos", `{}`, 204},
		{"answer", `{"text":1}`, 400},
	} {
		if status, said := ask("POST", posted.ID.String()+"/"+step.change+"/", step.body); status != step.status {
			t.Errorf("%s %s: %d %s, want %d", step.change, step.body, status, said, step.status)
		}
	}
	if hidden := listed("hidden"); len(hidden) != 1 || hidden[0].Reason != "проверка" || hidden[0].Reply != "Спасибо!" || len(listed("shown")) != 0 {
		t.Errorf("hidden: %+v", hidden)
	}
	if status, said := ask("POST", posted.ID.String()+"/show/", `{}`); status != 204 || len(listed("shown")) != 1 {
		t.Errorf("show: %d %s", status, said)
	}
	if status, said := ask("GET", "?state=lost", ""); status != 400 {
		t.Errorf("a state there is not: %d %s", status, said)
	}
	for _, nobody := range []string{"x", uuid.NewString()} {
		if status, said := ask("POST", nobody+"/show/", `{}`); status != 404 {
			t.Errorf("review %s: %d %s", nobody, status, said)
		}
	}

	d.add("watcher@shop.example", staff.Analyst)
	d.secret = nil
	cookie, view = d.signIn("watcher@shop.example")
	if status, said := ask("POST", posted.ID.String()+"/hide/", `{"text":"проверка"}`); status != 403 {
		t.Errorf("an analyst hides: %d %s", status, said)
	}
	if n := pgtest.All[int64](t, d.shop.Pool, "SELECT count(*) FROM eventstore.events WHERE type = 'review.hidden'")[0]; n != 1 {
		t.Errorf("hidden %d times, want the support's once", n)
	}
}

func TestCustomersWaitAndEarn(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	cream, gone := p.stocked("MK-1", 10_000, 10), p.stocked("MK-2", 9000, 1)
	p.ok("stock", "adjust", "--article", "MK-2", "--on-hand", "0")
	s := p.serve()
	anna := s.register("anna@example.kz")
	waitsAt := func(address string, headers ...string) bool {
		_, _, body := s.send("GET", address, nil, headers...)
		return strings.Contains(body, `"is_subscribed":true`)
	}
	waits := func(headers ...string) bool { return waitsAt("/api/products/mk-2/", headers...) }
	path := "/api/subscriptions/products/" + gone.String() + "/"
	if status, _, _ := s.send("POST", path, nil); status != 401 {
		t.Errorf("a guest waits: %d", status)
	}
	status, header, body := s.send("POST", path, nil, anna...)
	if status != 201 || strings.TrimSpace(body) != `{"is_subscribed":true}` {
		t.Fatalf("%d %s", status, body)
	}
	if !waits(append(anna, "X-Min-Position", header.Get("X-Event-Position"))...) || waits() || waits("Authorization", "Bearer stale") {
		t.Error("who waits is not who is shown to wait")
	}
	for _, list := range []string{"/api/products/", "/api/products/popular/"} {
		if !waitsAt(list, anna...) || waitsAt(list) || waitsAt(list+"?brief=true", anna...) {
			t.Errorf("%s does not show alone to who waits that she does", list)
		}
	}
	p.ok("stock", "receive", "--article", "MK-2", "--quantity", "1")
	until(t, "the customer is told", func() bool { return !waits(anna...) })
	if stream := p.ok("events", "stream", "restock-"+gone.String()); strings.Count(stream, "restock.notified") != 1 || !strings.Contains(stream, "system:notify-restock") {
		t.Errorf("the waiting list:\n%s", stream)
	}

	status, _, body = s.send("POST", "/api/orders/", strings.NewReader(fmt.Sprintf(`{"customer_first_name":"Анна","customer_last_name":"Ким","customer_email":"anna@example.kz",
		"customer_phone":"87011234567","customer_city":"Алматы","customer_street":"Абая","customer_house":"10","payment_method":"CASH","delivery_type":"DELIVERY",
		"products":[{"product":%q,"amount":1}]}`, cream)), anna...)
	var placed struct{ Number int64 }
	if err := json.Unmarshal([]byte(body), &placed); err != nil || status != 201 {
		t.Fatalf("%d %s", status, body)
	}
	for _, verb := range []string{"approve", "process", "complete"} {
		p.ok("orders", verb, number(placed.Number))
	}
	until(t, "the order earned 3 %", func() bool {
		_, _, body := s.send("GET", "/api/auth/profile/bonuses/", nil, anna...)
		return strings.Contains(body, `"bonus_amount":300`) && strings.Contains(body, fmt.Sprintf(`"number":%d`, placed.Number)) && strings.Contains(body, `"kind":"earned"`)
	})
	if _, _, body := s.send("GET", "/api/auth/profile/", nil, anna...); !strings.Contains(body, `"bonus_amount" : 300`) {
		t.Errorf("profile: %s", body)
	}
}

// reviewOf posts a review of the person with a photo and a text.
func (s *served) reviewOf(product uuid.UUID, text string, headers ...string) (status int, position, body string) {
	s.t.Helper()
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	for name, value := range map[string]string{
		"product": product.String(), "name": personFirst, "email": strings.ToUpper(personEmail), "phone": personPhone, "rating": "4", "content": text,
	} {
		_ = w.WriteField(name, value)
	}
	file, _ := w.CreateFormFile("images", "photo.jpg")
	_ = jpeg.Encode(file, image.NewGray(image.Rect(0, 0, 300, 300)), nil)
	_ = w.Close()
	status, header, body := s.send("POST", "/api/products/review/", &form, append(headers, "Content-Type", w.FormDataContentType())...)
	return status, header.Get("X-Event-Position"), body
}

// reviewed is a review of the person that must be taken.
func (s *served) reviewed(product uuid.UUID) uuid.UUID {
	s.t.Helper()
	status, _, body := s.reviewOf(product, personReview)
	var posted struct{ ID uuid.UUID }
	if status != 201 || json.Unmarshal([]byte(body), &posted) != nil {
		s.t.Fatalf("review: %d %s", status, body)
	}
	return posted.ID
}
