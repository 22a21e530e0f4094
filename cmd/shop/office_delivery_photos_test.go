package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"shop/commands"
	"shop/commands/policies"
	"shop/domain/order"
	"shop/domain/staff"
	"shop/eventstore"
	"shop/readapi/endpoint"
)

// doorstep is a photo as a phone takes it, with what the phone wrote into it.
func doorstep(t *testing.T, shade uint8) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, 900, 600))
	for i := range picture.Pix {
		picture.Pix[i] = color.Gray{Y: shade}.Y + uint8(i%7)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	exif := "Exif\x00\x00GPS 43.238949, 76.889709"
	return append(append([]byte{0xff, 0xd8, 0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...), b.Bytes()[2:]...)
}

// photograph sends a photo of a stop.
func (w worker) photograph(number string, content []byte) *httptest.ResponseRecorder {
	return w.d.ask("POST", "/api/staff/stops/"+number+"/photos/", string(content), "Cookie", w.cookie, "X-CSRF-Token", w.csrf, "Content-Type", "application/octet-stream")
}

// blobFiles are the files of the shop's photos.
func (d *staffDesk) blobFiles() (names []string) {
	d.t.Helper()
	names, err := filepath.Glob(filepath.Join(d.shop.Config.DataDir, "blobs", "*", "*"))
	if err != nil {
		d.t.Fatal(err)
	}
	return names
}

// onTheWay hands 100001 and 100002 to the desk's courier for today.
func onTheWay(t *testing.T) (d *staffDesk, receipts []commands.Receipt, manager, courier worker) {
	t.Helper()
	d, receipts = officeDesk(t)
	manager = d.worker(staff.Manager)
	courier = d.worker(staff.Courier)
	azat := d.account("courier@shop.example")
	for _, n := range []string{"100001", "100002"} {
		manager.ask(200, "POST", "/api/staff/orders/"+n+"/approval/", "", nil)
		manager.ask(204, "POST", "/api/staff/orders/"+n+"/packing/", `{"reason":"x"}`, nil)
		manager.ask(204, "POST", "/api/staff/orders/"+n+"/hand-over/", `{"courier":"`+azat+`"}`, nil)
	}
	d.projectParcels()
	return d, receipts, manager, courier
}

// TestACourierPhotographsTheHandOver: the photo is encoded again, the order's timeline names it, and only staff who may see persons
// see it.
func TestACourierPhotographsTheHandOver(t *testing.T) {
	t.Parallel()
	d, receipts, manager, courier := onTheWay(t)
	photo := doorstep(t, 90)
	for range 2 { // a second press adds nothing
		if got := courier.photograph("100001", photo); got.Code != 204 {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
	}
	courier.ask(204, "POST", "/api/staff/stops/100001/delivery/", `{"method":"CASH"}`, nil)
	d.projectParcels()
	var list parcelDay
	courier.ask(200, "GET", "/api/staff/stops/", "", &list)
	if len(list.Orders) != 2 || list.Orders[0].Photos != 1 || list.Orders[1].Photos != 0 {
		t.Errorf("the courier's stops: %+v", list.Orders)
	}
	var sheet struct {
		Steps []struct {
			Type string
			Data struct {
				PhotoID string `json:"photo_id"`
			}
		}
	}
	manager.ask(200, "GET", "/api/staff/orders/100001/", "", &sheet)
	name := ""
	for _, step := range sheet.Steps {
		if step.Type == "order.delivery-photographed" {
			name += step.Data.PhotoID
		}
	}
	for _, query := range []string{"", "?small=true"} {
		got := d.ask("GET", "/api/staff/orders/100001/photos/"+name+"/"+query, "", "Cookie", manager.cookie)
		if got.Code != 200 || got.Header().Get("Content-Type") != "image/jpeg" || got.Header().Get("Cache-Control") != "no-store" || got.Header().Get("ETag") != "" {
			t.Fatalf("%s: %d %v", query, got.Code, got.Header())
		}
		shown, err := jpeg.Decode(bytes.NewReader(got.Body.Bytes()))
		if err != nil || strings.Contains(got.Body.String(), "GPS") {
			t.Fatalf("%s: %v", query, err)
		}
		if want := map[string]int{"": 900, "?small=true": 320}[query]; shown.Bounds().Dx() != want {
			t.Errorf("%s is %v", query, shown.Bounds())
		}
	}
	for _, path := range []string{"/api/staff/orders/100002/photos/" + name + "/", "/api/staff/orders/100001/photos/" + receipts[0].ID.String() + "/", "/api/staff/orders/100001/photos/x/", "/api/staff/orders/x/photos/" + name + "/"} {
		manager.ask(404, "GET", path, "", nil)
	}
	// Shoppers do not find it, by whatever name.
	d.site.Album, d.site.Reviews = d.shop.Album, d.shop.Reviews
	for _, file := range d.blobFiles() {
		if got := d.ask("GET", "/media/"+filepath.Base(file), ""); got.Code != 404 {
			t.Errorf("/media/%s: %d", filepath.Base(file), got.Code)
		}
	}
	for _, role := range staff.Roles {
		if role == staff.Manager || role == staff.Courier {
			continue
		}
		w := d.worker(role)
		got := d.ask("GET", "/api/staff/orders/100001/photos/"+name+"/", "", "Cookie", w.cookie)
		if may := role.May(staff.SeeOrders) && role.May(staff.SeePersonal); (got.Code == 200) != may || got.Code != 200 && got.Code != 403 {
			t.Errorf("%s: %d", role, got.Code)
		}
	}
	courier.ask(403, "GET", "/api/staff/orders/100001/photos/"+name+"/", "", nil)
	if got := d.ask("GET", "/api/staff/orders/100001/photos/"+name+"/", ""); got.Code != 401 {
		t.Errorf("nobody: %d", got.Code)
	}
}

// TestWhatIsNoPhotoIsRefusedBesideTheField, in Russian; nothing of it stays.
func TestWhatIsNoPhotoIsRefusedBesideTheField(t *testing.T) {
	t.Parallel()
	d, _, _, courier := onTheWay(t)
	for name, content := range map[string][]byte{
		"text": []byte("это не фотография"), "a page": []byte("<html><script>alert(1)</script>"), "half": doorstep(t, 1)[:200],
		"nothing": nil, "too many pixels": flatJPEG(baseline, 8000, 8000, 1),
	} {
		got := courier.photograph("100001", content)
		var wrong endpoint.FieldErrors
		if err := json.Unmarshal(got.Body.Bytes(), &wrong); err != nil || got.Code != 400 || !strings.Contains(fmt.Sprint(wrong["photo"]), "отографи") {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
	if got := courier.photograph("100001", make([]byte, 10<<20+1)); got.Code != 413 || !strings.Contains(got.Body.String(), "больше 10 МБ") {
		t.Errorf("too large: %d %s", got.Code, got.Body)
	}
	for i := range uint8(order.MaxDeliveryPhotos) {
		if got := courier.photograph("100001", doorstep(t, 10*i)); got.Code != 204 {
			t.Fatalf("%d %s", got.Code, got.Body)
		}
	}
	before := d.blobFiles()
	if got := courier.photograph("100001", doorstep(t, 200)); got.Code != 400 || !strings.Contains(got.Body.String(), "уже 4 фотографии") {
		t.Errorf("a fifth: %d %s", got.Code, got.Body)
	}
	// Neither another's stop nor one that is not there is told apart.
	for _, number := range []string{"100003", "999999", "x"} {
		if got := courier.photograph(number, doorstep(t, 5)); got.Code != 404 {
			t.Errorf("%s: %d", number, got.Code)
		}
	}
	if after := d.blobFiles(); !slices.Equal(after, before) {
		t.Errorf("files of refused photos: %d, then %d", len(before), len(after))
	}
}

// TestAForgottenGuestLeavesNoPhoto: erasure takes the files, the rows and the way to them; so does staff by hand.
func TestAForgottenGuestLeavesNoPhoto(t *testing.T) {
	t.Parallel()
	d, receipts, _, courier := onTheWay(t)
	for _, number := range []string{"100001", "100002"} {
		if got := courier.photograph(number, doorstep(t, 90)); got.Code != 204 { // the same picture twice
			t.Fatalf("%d %s", got.Code, got.Body)
		}
		courier.ask(204, "POST", "/api/staff/stops/"+number+"/delivery/", `{"method":"CASH"}`, nil)
	}
	gone := func(number int, files int) {
		t.Helper()
		var own []eventstore.Event
		events, err := d.shop.Store.Stream(t.Context(), order.Stream(receipts[number].ID), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if _, is := e.Data.(order.DeliveryPhotosRemoved); is {
				own = append(own, e)
			}
		}
		if err := policies.DeletePhotos(d.shop.Album, d.shop.Reviews).Handle(t.Context(), nil, own); err != nil {
			t.Fatal(err)
		}
		if got := len(d.blobFiles()); got != files {
			t.Errorf("%d files, want %d", got, files)
		}
		var rows int
		if err := d.shop.Pool.QueryRow(t.Context(), "SELECT count(*) FROM photo_owners WHERE owner = $1", receipts[number].ID).Scan(&rows); err != nil || rows > 0 {
			t.Errorf("%d rows, %v", rows, err)
		}
	}
	kept := len(d.blobFiles())
	// A sweep keeps what an order has.
	if removed, err := d.shop.Album.Sweep(t.Context(), time.Now().Add(time.Hour), d.shop.Reviews.HoldsPhoto); err != nil || removed > 0 {
		t.Errorf("swept %d, %v", removed, err)
	}
	if _, err := d.shop.Guests.ForgetOrder(t.Context(), receipts[0].ID); err != nil {
		t.Fatal(err)
	}
	gone(0, kept) // the other order has the same picture
	support := d.worker(staff.Support)
	support.ask(204, "POST", "/api/staff/orders/100002/photos/removal/", `{}`, nil)
	support.ask(204, "POST", "/api/staff/orders/100002/photos/removal/", `{}`, nil)
	gone(1, 0)
	if got := courier.photograph("100001", doorstep(t, 90)); got.Code != 409 {
		t.Errorf("a photo of a forgotten guest: %d %s", got.Code, got.Body)
	}
	if left := d.blobFiles(); len(left) > 0 {
		t.Errorf("%q", left)
	}
}
