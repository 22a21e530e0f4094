package commands_test

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/photos"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/review"
	"shop/domain/rules"
)

func TestPostAReview(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	reviews, folder := s.Reviews(t)
	soap := s.Product(1_000, 1_000, 1)
	r := s.Send(reviews, testshop.Opinion(soap), []string{testshop.Photo(400), testshop.Photo(50)})
	if r.Code != http.StatusCreated || r.Header().Get("X-Event-Position") == "" {
		t.Fatalf("%d %s", r.Code, r.Text())
	}
	posted := testshop.Read[commands.PostedReview](r)
	state, err := commands.See(t.Context(), s.Handler, commands.ReviewStream(posted.ID))
	if err != nil || !posted.IsShown || !state.Shown() || len(state.PhotoIDs) != 2 || state.Rating != 5 {
		t.Errorf("%+v, %+v, %v", posted, state, err)
	}
	testshop.Equal(t, "stored files", testshop.Stored(t, folder), 6)

	anna := s.Customer()
	mine := testshop.Read[commands.PostedReview](s.Send(reviews, testshop.Opinion(soap), nil, testshop.By(anna)))
	events, err := s.Log.Load(t.Context(), testshop.From(review.Stream(mine.ID)))
	if err != nil {
		t.Fatal(err)
	}
	if e := events[review.Stream(mine.ID)][0].Data.(review.Posted); e.CustomerID != anna || e.PersonID == anna || e.PersonID == uuid.Nil || e.Author.Phone != "+77012345678" {
		t.Errorf("%+v", e)
	}

	moderated := rules.Default()
	moderated.ReviewsModerated = true
	if _, err := (&commands.Rules{Handler: s.Handler}).Change(t.Context(), moderated, 0); err != nil {
		t.Fatal(err)
	}
	waits := testshop.Read[commands.PostedReview](s.Send(reviews, testshop.Opinion(soap), nil))
	testshop.Equal(t, "shown at once", waits.IsShown, false)
	for _, step := range []func() error{
		func() error { _, err := reviews.Show(t.Context(), waits.ID); return err },
		func() error { _, err := reviews.Answer(t.Context(), posted.ID, "Спасибо!"); return err },
		func() error { _, err := reviews.Hide(t.Context(), mine.ID, "реклама"); return err },
		func() error { _, err := reviews.RemovePhotos(t.Context(), posted.ID); return err },
	} {
		if err := step(); err != nil {
			t.Error(err)
		}
	}
	testshop.Equal(t, "files after they were taken out", testshop.Stored(t, folder), 0)
	for id, want := range map[domain.ID]bool{waits.ID: true, mine.ID: false, posted.ID: true} {
		if state, _ := commands.See(t.Context(), s.Handler, commands.ReviewStream(id)); state.Shown() != want {
			t.Errorf("%+v", state)
		}
	}
}

func TestPhotosAreSeenWithTheirReview(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	reviews, _ := s.Reviews(t)
	moderated := rules.Default()
	moderated.ReviewsModerated = true
	if _, err := (&commands.Rules{Handler: s.Handler}).Change(t.Context(), moderated, 0); err != nil {
		t.Fatal(err)
	}
	posted := testshop.Read[commands.PostedReview](s.Send(reviews, testshop.Opinion(s.Product(1_000, 1_000, 1)), []string{testshop.Photo(50), testshop.Photo(60)}))
	state, err := commands.See(t.Context(), s.Handler, commands.ReviewStream(posted.ID))
	if err != nil || len(state.PhotoIDs) != 2 {
		t.Fatalf("%+v, %v", state, err)
	}
	seen := func(when string, want bool) {
		t.Helper()
		shown, err := reviews.ShowsPhoto(t.Context(), posted.ID, state.PhotoIDs[1])
		held, errHeld := reviews.HoldsPhoto(t.Context(), posted.ID, state.PhotoIDs[1])
		if shown != want || !held || err != nil || errHeld != nil {
			t.Errorf("%s: shown %v, held %v, %v, %v", when, shown, held, err, errHeld)
		}
	}

	seen("before staff looked", false)
	if _, err := reviews.Show(t.Context(), posted.ID); err != nil {
		t.Fatal(err)
	}
	seen("shown", true)
	if shown, err := reviews.ShowsPhoto(t.Context(), posted.ID, uuid.New()); shown || err != nil {
		t.Errorf("a photo of another review is shown: %v", err)
	}
	if _, err := reviews.Hide(t.Context(), posted.ID, "реклама"); err != nil {
		t.Fatal(err)
	}
	seen("hidden", false)

	if _, err := reviews.Show(t.Context(), posted.ID); err != nil {
		t.Fatal(err)
	}
	var report customer.Report
	if err := (&identity.Leaving{Handler: s.Handler, Of: left{reviews: []domain.ID{posted.ID}}}).Leave(t.Context(), uuid.New(), &report); err != nil {
		t.Fatal(err)
	}
	if shown, err := reviews.ShowsPhoto(t.Context(), posted.ID, state.PhotoIDs[1]); shown || err != nil || report != (customer.Report{Reviews: 1, Files: 2}) {
		t.Errorf("after its author left: shown %v, %v, %+v", shown, err, report)
	}
}

func TestReviewsThatAreRefusedLeaveNothing(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	reviews, folder := s.Reviews(t)
	soap := s.Product(1_000, 1_000, 1)
	head := s.Head()
	for _, c := range []struct{ field, value, want string }{
		{"product", uuid.NewString(), `{"product":["Такого товара нет"]}`},
		{"product", "krem", `{"product":["Такого товара нет"]}`},
		{"product", "", `{"product":["Заполните поле"]}`},
		{"name", " ", `{"name":["Заполните поле"]}`},
		{"name", "123", `{"name":["Введите имя буквами"]}`},
		{"email", "anna", `{"email":["Email введен неверно"]}`},
		{"phone", "12", `{"phone":["Введите номер телефона Казахстана или России, например +7 701 234 56 78"]}`},
		{"rating", "0", `{"rating":["Поставьте оценку от 1 до 5"]}`},
		{"rating", "6", `{"rating":["Поставьте оценку от 1 до 5"]}`},
		{"rating", "4.5", `{"rating":["Поставьте оценку от 1 до 5"]}`},
		{"rating", "", `{"rating":["Заполните поле"]}`},
		{"content", "", `{"content":["Заполните поле"]}`},
		{"content", strings.Repeat("я", 5001), `{"content":["Не больше 5000 символов"]}`},
		{"content", "a\x00", `{"content":["Недопустимые символы"]}`},
		{"content", "\xff", `{"detail":"Запрос должен быть в кодировке UTF-8"}`},
		{"admin_reply", "Спасибо", `{"admin_reply":["Неизвестное поле"]}`},
		{"images", "x", `{"images":["Неизвестное поле"]}`},
	} {
		form := testshop.Opinion(soap)
		form[c.field] = c.value
		s.Send(reviews, form, []string{testshop.Photo(40)}).Wants(400, c.want)
	}
	good := testshop.Photo(40)
	s.Send(reviews, testshop.Opinion(soap), []string{good, good, good, good, good, good, good}).Wants(400, `{"images":["К отзыву можно добавить не больше 6 фотографий"]}`)
	s.Send(reviews, testshop.Opinion(soap), []string{good, "<script>alert(1)</script>"}).Wants(400, `{"images":["Загрузите фотографию в формате PNG или JPEG"]}`)
	s.Send(reviews, testshop.Opinion(soap), []string{good + strings.Repeat("\x00", photos.MaxBytes)}).Wants(400, `{"images":["Фотография больше 10 МБ"]}`)
	huge := strings.Repeat("\x00", photos.MaxBytes)
	s.Send(reviews, testshop.Opinion(soap), []string{huge, huge, huge, huge, huge, huge, huge}).Wants(413, `{"detail":"Слишком большой запрос"}`)
	s.Ask(shopapi.Reviews{Reviews: reviews}.Post, testshop.Post(t.Context(), testshop.Opinion(soap))).Wants(415, `{"detail":"Ожидается форма (Content-Type: multipart/form-data)"}`)
	testshop.Equal(t, "head of the log", s.Head(), head)
	testshop.Equal(t, "stored files", testshop.Stored(t, folder), 0)
}

func TestAReviewSentTwiceIsOne(t *testing.T) {
	t.Parallel()
	s := testshop.Open(t)
	reviews, folder := s.Reviews(t)
	soap := s.Product(1_000, 1_000, 1)
	var all sync.WaitGroup
	posted := make([]commands.PostedReview, 8)
	head := s.Head()
	for i := range posted {
		all.Go(func() {
			posted[i] = testshop.Read[commands.PostedReview](s.Send(reviews, testshop.Opinion(soap), []string{testshop.Photo(40)}, testshop.WithKey("k")))
		})
	}
	all.Wait()
	for _, p := range posted {
		testshop.Equal(t, "review", p.ID, posted[0].ID)
	}
	testshop.EqualText(t, "events", s.Types(head), []string{"review.posted"})
	testshop.Equal(t, "stored files", testshop.Stored(t, folder), 2)
	state, err := commands.See(t.Context(), s.Handler, commands.ReviewStream(posted[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := reviews.Album.Remove(t.Context(), posted[0].ID, state.PhotoIDs...); err != nil {
		t.Fatal(err)
	}
	testshop.Equal(t, "files that nobody owns", testshop.Stored(t, folder), 0)
	s.Send(reviews, testshop.Opinion(soap), []string{testshop.Photo(41)}, testshop.WithKey("k")).Wants(409, `{"detail":"Этот запрос уже отправлен с другими данными","code":"request/key-taken"}`)
}
