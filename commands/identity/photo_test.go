package identity_test

import (
	"bytes"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"testing"

	"shop/commands"
	"shop/commands/identity"
	"shop/commands/photos"
	"shop/commands/shopapi"
	"shop/commands/testshop"
	"shop/domain"
	"shop/domain/customer"
)

// sendPhoto posts a form with files to a customer's profile.
func (d *accountDesk) sendPhoto(as domain.ID, field string, contents ...string) testshop.Response {
	d.T.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for _, content := range contents {
		part, _ := w.CreateFormFile(field, "me.html")
		_, _ = part.Write([]byte(content))
	}
	_ = w.Close()
	r := httptest.NewRequestWithContext(commands.AsCustomer(d.T.Context(), as), http.MethodPost, "/api/auth/profile/photo/", &body)
	r.Header.Set("Content-Type", w.FormDataContentType())
	answered := d.Ask(shopapi.Accounts{Accounts: d.accounts}.SetPhoto, r)
	testshop.KeepsContract(d.T, "/api/auth/profile/photo/", answered.Code, answered.Body.Bytes())
	return answered
}

// shows says whether a picture is served.
func (d *accountDesk) shows(url string) bool {
	r := httptest.NewRequestWithContext(d.T.Context(), "GET", url, nil)
	return d.accounts.Album.Serve(httptest.NewRecorder(), r, path.Base(url), (&commands.Reviews{Handler: d.Handler}).ShowsPhoto) == nil
}

func TestAProfileShowsAPhoto(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	a := d.registered("a@b.kz")
	head := d.Head()

	first := d.sendPhoto(a.ID, "profile_image", testshop.Photo(500))
	if first.Code != 200 || first.Header().Get("X-Event-Position") == "" {
		t.Fatalf("%d %s", first.Code, first.Text())
	}
	shown := testshop.Read[identity.Profile](first)
	if shown.Info.ProfileImage == nil || !strings.HasSuffix(*shown.Info.ProfileImage, "-320.jpg") || !d.shows(*shown.Info.ProfileImage) {
		t.Fatalf("the profile shows %v", shown.Info.ProfileImage)
	}
	second := testshop.Read[identity.Profile](d.sendPhoto(a.ID, "profile_image", testshop.Photo(200)))
	if !strings.HasSuffix(*second.Info.ProfileImage, "-200.jpg") {
		t.Errorf("a small photo is %s", *second.Info.ProfileImage)
	}
	again := d.sendPhoto(a.ID, "profile_image", testshop.Photo(200))
	if *testshop.Read[identity.Profile](again).Info.ProfileImage != *second.Info.ProfileImage || !d.shows(*second.Info.ProfileImage) {
		t.Errorf("the same photo again: %s", again.Text())
	}
	none := d.call(shopapi.Accounts{Accounts: d.accounts}.RemovePhoto, "DELETE", "/api/auth/profile/photo/", a.ID, "")
	if none.Code != 200 || testshop.Read[identity.Profile](none).Info.ProfileImage != nil {
		t.Errorf("without: %d %s", none.Code, none.Text())
	}
	testshop.EqualText(t, "events", d.Types(head), []string{"customer.photo-changed", "customer.photo-changed", "customer.photo-removed"})
}

func TestPhotosOfProfilesThatAreRefusedLeaveNothing(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	folder := t.TempDir()
	d.accounts.Album = photos.Open(d.Pool, photos.Folder(folder))
	a := d.registered("a@b.kz")
	head := d.Head()
	for name, c := range map[string]struct {
		field    string
		contents []string
		want     string
	}{
		"no file":       {"profile_image", nil, `{"profile_image":["Выберите фотографию"]}`},
		"two":           {"profile_image", []string{testshop.Photo(40), testshop.Photo(50)}, `{"profile_image":["Выберите одну фотографию"]}`},
		"another field": {"avatar", []string{testshop.Photo(40)}, `{"avatar":["Неизвестное поле"],"profile_image":["Выберите фотографию"]}`},
		"a page":        {"profile_image", []string{"<script>alert(1)</script>"}, `{"profile_image":["Загрузите фотографию в формате PNG или JPEG"]}`},
		"too large":     {"profile_image", []string{testshop.Photo(40) + strings.Repeat("\x00", photos.MaxBytes)}, `{"profile_image":["Фотография больше 10 МБ"]}`},
	} {
		t.Run(name, func(t *testing.T) { d.sendPhoto(a.ID, c.field, c.contents...).Wants(400, c.want) })
	}
	d.Ask(shopapi.Accounts{Accounts: d.accounts}.SetPhoto, testshop.Post(commands.AsCustomer(t.Context(), a.ID), testshop.Fields{"profile_image": "x"})).Wants(415, `{"detail":"Ожидается форма (Content-Type: multipart/form-data)"}`)
	testshop.Equal(t, "head of the log", d.Head(), head)

	d.leave(a.ID, goodPassword)
	if r := d.sendPhoto(a.ID, "profile_image", testshop.Photo(40)); r.Code != 401 {
		t.Errorf("who has left: %d %s", r.Code, r.Text())
	}
	testshop.Equal(t, "stored files", testshop.Stored(t, folder), 0)
}

func TestAPhotoGoesWithItsCustomer(t *testing.T) {
	t.Parallel()
	d := openAccounts(t)
	d.accounts.Leavers = []identity.Leaver{identity.Portraits{d.accounts.Album}}
	a := d.registered("a@b.kz")
	shown := testshop.Read[identity.Profile](d.sendPhoto(a.ID, "profile_image", testshop.Photo(40)))
	d.leave(a.ID, goodPassword)

	report, _, err := d.accounts.Erase(t.Context(), a.ID)

	if err != nil || report != (customer.Report{Files: 1}) || d.shows(*shown.Info.ProfileImage) {
		t.Errorf("%+v, %v; the photo is served: %v", report, err, d.shows(*shown.Info.ProfileImage))
	}
	state, err := commands.See(t.Context(), d.Handler, commands.CustomerStream(a.ID))
	if err != nil || state.PhotoID == (domain.ID{}) {
		t.Fatalf("%+v, %v", state, err)
	}
	held, err := (&commands.Reviews{Handler: d.Handler}).HoldsPhoto(t.Context(), a.ID, state.PhotoID)
	if held || err != nil {
		t.Errorf("a photo of who has left is held: %v, %v", held, err)
	}
}
