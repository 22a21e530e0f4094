package readapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/domain"
	"shop/domain/bonus"
	"shop/domain/order"
	"shop/domain/restock"
	"shop/domain/review"
	"shop/projections"
	"shop/readapi"
	"shop/readapi/staff"
)

var annaID = id(0xf1, 1)

// anna is signed in.
func anna(context.Context) uuid.UUID { return annaID }

func photoID(n byte) domain.ID { return id(0x90, n) }

// addOpinions writes reviews of product 1 and 2, lets Anna wait for product 3 and earn and spend bonuses.
func addOpinions(l *log) {
	opinion := func(n, about byte, rating int64, pending bool, photos ...domain.ID) {
		l.add(review.Stream(id(0x80, n)), review.Posted{
			ID: id(0x80, n), ProductID: product(about), PersonID: id(0xf0, n), Rating: rating, PhotoIDs: photos, Pending: pending,
			Author:  review.Author{Name: "Автор " + string('А'+rune(n)), Email: "author@example.kz", Phone: "+77010000000"},
			Content: "Кожа стала ровнее.", At: today.AddDate(0, 0, -20+int(n)),
		})
	}
	opinion(1, 1, 5, false, photoID(1), photoID(2))
	opinion(2, 1, 4, false)
	opinion(3, 1, 4, false)
	opinion(4, 1, 1, false) // hidden
	opinion(5, 1, 1, true)  // waits
	opinion(6, 1, 5, false, photoID(1))
	opinion(7, 2, 3, false)
	l.add(review.Stream(id(0x80, 2)), review.Answered{ID: id(0x80, 2), ProductID: product(1), Text: "Спасибо за отзыв!", At: today})
	l.add(review.Stream(id(0x80, 3)), review.Forgotten{ID: id(0x80, 3), ProductID: product(1), At: today})
	l.add(review.Stream(id(0x80, 4)), review.Hidden{ID: id(0x80, 4), ProductID: product(1), Reason: "реклама", At: today})
	l.add(review.Stream(id(0x80, 6)), review.PhotosRemoved{ID: id(0x80, 6), ProductID: product(1), PhotoIDs: []domain.ID{photoID(1)}, At: today})

	waits := restock.Stream(product(3))
	l.add(waits, restock.Subscribed{ProductID: product(3), CustomerID: id(0xf0, 2), Place: 1, At: today},
		restock.Subscribed{ProductID: product(3), CustomerID: annaID, Place: 2, At: today},
		restock.Notified{ProductID: product(3), CustomerID: id(0xf0, 2), Place: 1, At: today})
	l.add(restock.Stream(product(4)), restock.Subscribed{ProductID: product(4), CustomerID: annaID, Place: 1, At: today},
		restock.Unsubscribed{ProductID: product(4), CustomerID: annaID, Place: 1, At: today})

	bought := id(0xe0, 101)
	l.add(order.Stream(bought), order.Placed{ID: bought, Number: 100101, CustomerID: annaID, At: today.AddDate(0, 0, -3),
		Calculation: domain.Calculation{TotalPaid: 9_000}}, order.Paid{PaymentID: "p", Amount: 9_000, At: today.AddDate(0, 0, -3)})
	l.add(bonus.Stream(annaID),
		bonus.Earned{CustomerID: annaID, OrderID: bought, Base: 9_000, Percent: 3, RulesVersion: 1, Amount: 270, Balance: 270, At: today.AddDate(0, 0, -2)},
		bonus.Spent{CustomerID: annaID, OrderID: bought, Amount: 100, Balance: 170, At: today.AddDate(0, 0, -1)})
}

// addPhotos stores what commands/photos would have of the photos.
func addPhotos(t testing.TB, db *pgxpool.Pool) {
	t.Helper()
	_, err := db.Exec(t.Context(), "INSERT INTO photos (id, width, height, webp) VALUES ($1, 1600, 1200, true), ($2, 500, 400, false), ($3, 900, 900, true)", photoID(1), photoID(2), id(0xf1, 1))
	if err != nil {
		t.Fatal(err)
	}
}

func TestRatingsAreOfShownReviews(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	type rated struct {
		Rating  float64 `json:"rating"`
		Count   int     `json:"reviews_count"`
		Reviews []struct {
			Author string  `json:"author"`
			Reply  *string `json:"admin_reply"`
			Images []struct{ Image string }
		} `json:"reviews"`
	}
	show := func(address string) (r rated, body string) {
		t.Helper()
		w := get(t, shop, address)
		if err := json.Unmarshal(w.Body.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		return r, w.Body.String()
	}
	serum, body := show("/api/products/ostara-niacinamide-serum")
	// 5, 4, 4, 5: the hidden and the waiting one do not count.
	if serum.Rating != 4.5 || serum.Count != 4 || len(serum.Reviews) != 4 {
		t.Errorf("%+v", serum)
	}
	newest, erased, answered, oldest := serum.Reviews[0], serum.Reviews[1], serum.Reviews[2], serum.Reviews[3]
	if newest.Author != "Автор Ж" || len(newest.Images) != 0 || erased.Author != "Покупатель" ||
		answered.Reply == nil || *answered.Reply != "Спасибо за отзыв!" || len(oldest.Images) != 2 {
		t.Errorf("%+v", serum.Reviews)
	}
	if strings.Contains(body, "author@example.kz") || strings.Contains(body, "7701") {
		t.Error("e-mail or phone is public")
	}
	if cream, _ := show("/api/products/tilia-linden-cream"); cream.Rating != 3 || cream.Count != 1 {
		t.Errorf("%+v", cream)
	}
	if toner, _ := show("/api/products/ostara-rose-toner"); toner.Rating != 0 || toner.Count != 0 || len(toner.Reviews) != 0 {
		t.Errorf("%+v", toner)
	}
}

// TestKeptAnswersShowNewReviews: a kept page goes when a review of any product comes.
func TestKeptAnswersShowNewReviews(t *testing.T) {
	t.Parallel()
	db, _ := open(t, history())
	answers := readapi.NewAnswers(1<<20, time.Now)
	shop := routes(db, readapi.Fresh{Positions: standing(1 << 60)}, answers)
	for _, address := range []string{"/api/products/norden-deo", "/api/products/norden-deo/reviews", "/api/products?search=NO-40", "/api/products?search=NO-40&brief=true"} {
		if body := get(t, shop, address).Body.String(); strings.Contains(body, "Кожа") || strings.Contains(body, `"reviews_count":1`) {
			t.Fatalf("%s: %s", address, body)
		}
	}
	l := afterHistory()
	l.add(review.Stream(id(0x80, 99)), review.Posted{ID: id(0x80, 99), ProductID: product(7), Rating: 2, Content: "Кожа", At: today})
	project(t, db, l.events)
	answers.Changed(projections.Reviews().Name, l.events)
	for address, want := range map[string]string{
		"/api/products/norden-deo": `"rating":2.0`, "/api/products/norden-deo/reviews": "Кожа", "/api/products?search=NO-40": "Кожа", "/api/products?search=NO-40&brief=true": `"reviews_count":1`,
	} {
		if body := get(t, shop, address).Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s lacks %s: %s", address, want, body)
		}
	}
}

func TestOnesOwnAnswersAreNotForOthers(t *testing.T) {
	t.Parallel()
	_, shop := open(t, history())
	for address, want := range map[string]string{
		"/api/products/ostara-rose-toner/mine": "private, no-cache", "/api/subscriptions/products": "no-store", "/api/auth/profile/bonuses": "no-store",
	} {
		w := get(t, shop, address)
		if w.Code != http.StatusOK || w.Header().Get("Cache-Control") != want {
			t.Errorf("%s: %d, %v", address, w.Code, w.Header())
		}
	}
	// Anna waits for the toner.
	for _, address := range []string{
		"/api/products/ostara-rose-toner", "/api/products", "/api/products/popular", "/api/products/ostara-niacinamide-serum/similar", "/api/categories/litso", "/api/brands/ostara",
	} {
		everybody, hers, brief := get(t, shop, address), get(t, shop, address+"/mine"), get(t, shop, address+"/mine?brief=true")
		if body := everybody.Body.String(); everybody.Header().Get("Cache-Control") != "no-cache" || strings.Contains(body, `"is_subscribed":true`) {
			t.Errorf("%s: a guest waits for a product: %v %s", address, everybody.Header(), body)
		}
		if body := hers.Body.String(); hers.Header().Get("Cache-Control") != "private, no-cache" || hers.Header().Get("Surrogate-Key") != "" || strings.Count(body, `"is_subscribed":true`) != 1 {
			t.Errorf("%s: the customer does not wait for one product alone: %v %s", address, hers.Header(), body)
		}
		if body := brief.Body.String(); address != "/api/products/ostara-rose-toner" && (brief.Header().Get("Cache-Control") != "no-cache" || strings.Contains(body, `"is_subscribed":true`)) {
			t.Errorf("%s: what is brief is one customer's: %v %s", address, brief.Header(), body)
		}
	}
}

func TestStaffSeeReviews(t *testing.T) {
	t.Parallel()
	db, _ := open(t, history())
	for state, want := range map[string]int{"": 7, "shown": 5, "pending": 1, "hidden": 1} {
		lines, err := staff.Shop{DB: db}.Reviews(t.Context(), state, 50, 0)
		if err != nil || len(lines) != want {
			t.Errorf("%q: %d, %v", state, len(lines), err)
		}
	}
	facts := readapi.Facts{DB: db}
	if balance, err := facts.BonusBalance(t.Context(), annaID); balance != 170 || err != nil {
		t.Errorf("%d, %v", balance, err)
	}
	if waits, err := facts.WaitsOf(t.Context(), annaID); len(waits) != 1 || waits[0] != product(3) || err != nil {
		t.Errorf("%v, %v", waits, err)
	}
}
