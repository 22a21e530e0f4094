package commands

import (
	"bytes"
	"image"
	"image/jpeg"
	"io/fs"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"shop/commands/photos"
	"shop/domain"
	"shop/domain/customer"
	"shop/domain/review"
	"shop/domain/rules"
)

// reviews are the commands about reviews, and the folder of their photos.
func (s *testShop) reviews(t *testing.T) (*Reviews, string) {
	folder := t.TempDir()
	return &Reviews{Handler: s.handler, Album: photos.Open(s.pool, photos.Folder(folder))}, folder
}

// photo is a picture of a size, as a camera would send it.
func photo(width int) string {
	var b bytes.Buffer
	_ = jpeg.Encode(&b, image.NewRGBA(image.Rect(0, 0, width, 10)), nil)
	return b.String()
}

// opinion is a good review.
func opinion(product domain.ID) map[string]string {
	return map[string]string{
		"product": product.String(), "name": "Анна", "email": "anna@example.kz", "phone": "8 701 234 56 78",
		"rating": "5", "content": "Хорошее мыло\nи пахнет",
	}
}

// send posts a form with files.
func (s *testShop) send(r *Reviews, form map[string]string, images []string, headers ...header) response {
	s.t.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for name, value := range form {
		_ = w.WriteField(name, value)
	}
	for i, content := range images {
		part, _ := w.CreateFormFile("images", strconv.Itoa(i)+".html")
		_, _ = part.Write([]byte(content))
	}
	_ = w.Close()
	request := httptest.NewRequestWithContext(s.t.Context(), http.MethodPost, "/api/products/review/", &body)
	request.Header.Set("Content-Type", w.FormDataContentType())
	for _, h := range headers {
		h(request)
	}
	answer := s.ask(r.Post, request)
	keepsContract(s.t, "/api/products/review/", answer.Code, answer.Body.Bytes())
	return answer
}

func stored(t *testing.T, folder string) int {
	t.Helper()
	n := 0
	_ = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, _ error) error {
		if d != nil && !d.IsDir() {
			n++
		}
		return nil
	})
	return n
}

func TestPostAReview(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	reviews, folder := s.reviews(t)
	soap := s.product(1_000, 1_000, 1)
	r := s.send(reviews, opinion(soap), []string{photo(400), photo(50)})
	if r.Code != http.StatusCreated || r.Header().Get("X-Event-Position") == "" {
		t.Fatalf("%d %s", r.Code, r.body())
	}
	posted := read[PostedReview](r)
	state, err := see(t.Context(), s.handler, reviewStream(posted.ID))
	if err != nil || !posted.IsShown || !state.Shown() || len(state.PhotoIDs) != 2 || state.Rating != 5 {
		t.Errorf("%+v, %+v, %v", posted, state, err)
	}
	equal(t, "stored files", stored(t, folder), 6)

	anna := s.customer()
	mine := read[PostedReview](s.send(reviews, opinion(soap), nil, by(anna)))
	events, err := s.log.Load(t.Context(), from(review.Stream(mine.ID)))
	if err != nil {
		t.Fatal(err)
	}
	if e := events[review.Stream(mine.ID)][0].Data.(review.Posted); e.CustomerID != anna || e.PersonID != anna || e.Author.Phone != "+77012345678" {
		t.Errorf("%+v", e)
	}

	moderated := rules.Default()
	moderated.ReviewsModerated = true
	if _, err := (&Rules{s.handler}).Change(t.Context(), moderated, 0); err != nil {
		t.Fatal(err)
	}
	waits := read[PostedReview](s.send(reviews, opinion(soap), nil))
	equal(t, "shown at once", waits.IsShown, false)
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
	equal(t, "files after they were taken out", stored(t, folder), 0)
	for id, want := range map[domain.ID]bool{waits.ID: true, mine.ID: false, posted.ID: true} {
		if state, _ := see(t.Context(), s.handler, reviewStream(id)); state.Shown() != want {
			t.Errorf("%+v", state)
		}
	}
}

func TestPhotosAreSeenWithTheirReview(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	reviews, _ := s.reviews(t)
	moderated := rules.Default()
	moderated.ReviewsModerated = true
	if _, err := (&Rules{s.handler}).Change(t.Context(), moderated, 0); err != nil {
		t.Fatal(err)
	}
	posted := read[PostedReview](s.send(reviews, opinion(s.product(1_000, 1_000, 1)), []string{photo(50), photo(60)}))
	state, err := see(t.Context(), s.handler, reviewStream(posted.ID))
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
	if err := (&Leaving{Handler: s.handler, Of: left{reviews: []domain.ID{posted.ID}}}).Leave(t.Context(), uuid.New(), &report); err != nil {
		t.Fatal(err)
	}
	if shown, err := reviews.ShowsPhoto(t.Context(), posted.ID, state.PhotoIDs[1]); shown || err != nil || report != (customer.Report{Reviews: 1, Files: 2}) {
		t.Errorf("after its author left: shown %v, %v, %+v", shown, err, report)
	}
}

func TestReviewsThatAreRefusedLeaveNothing(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	reviews, folder := s.reviews(t)
	soap := s.product(1_000, 1_000, 1)
	head := s.head()
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
		form := opinion(soap)
		form[c.field] = c.value
		s.send(reviews, form, []string{photo(40)}).wants(400, c.want)
	}
	good := photo(40)
	s.send(reviews, opinion(soap), []string{good, good, good, good, good, good, good}).wants(400, `{"images":["К отзыву можно добавить не больше 6 фотографий"]}`)
	s.send(reviews, opinion(soap), []string{good, "<script>alert(1)</script>"}).wants(400, `{"images":["Загрузите фотографию в формате PNG или JPEG"]}`)
	s.send(reviews, opinion(soap), []string{good + strings.Repeat("\x00", photos.MaxBytes)}).wants(400, `{"images":["Фотография больше 10 МБ"]}`)
	huge := strings.Repeat("\x00", photos.MaxBytes)
	s.send(reviews, opinion(soap), []string{huge, huge, huge, huge, huge, huge, huge}).wants(413, `{"detail":"Слишком большой запрос"}`)
	s.ask(reviews.Post, post(t.Context(), opinion(soap))).wants(415, `{"detail":"Ожидается форма (Content-Type: multipart/form-data)"}`)
	equal(t, "head of the log", s.head(), head)
	equal(t, "stored files", stored(t, folder), 0)
}

func TestAReviewSentTwiceIsOne(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	reviews, folder := s.reviews(t)
	soap := s.product(1_000, 1_000, 1)
	var all sync.WaitGroup
	posted := make([]PostedReview, 8)
	head := s.head()
	for i := range posted {
		all.Go(func() {
			posted[i] = read[PostedReview](s.send(reviews, opinion(soap), []string{photo(40)}, withKey("k")))
		})
	}
	all.Wait()
	for _, p := range posted {
		equal(t, "review", p.ID, posted[0].ID)
	}
	equalText(t, "events", s.types(head), []string{"review.posted"})
	equal(t, "stored files", stored(t, folder), 2)
	state, err := see(t.Context(), s.handler, reviewStream(posted[0].ID))
	if err != nil {
		t.Fatal(err)
	}
	if err := reviews.Album.Remove(t.Context(), posted[0].ID, state.PhotoIDs...); err != nil {
		t.Fatal(err)
	}
	equal(t, "files that nobody owns", stored(t, folder), 0)
	s.send(reviews, opinion(soap), []string{photo(41)}, withKey("k")).wants(409, `{"detail":"Этот запрос уже отправлен с другими данными"}`)
}
