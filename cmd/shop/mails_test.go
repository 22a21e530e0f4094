package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"shop/cmd/shop/app"
	"shop/cmd/shop/shoptest"
	"shop/cmd/shop/terminal"
	"shop/commands/mail"
	"shop/domain/restock"
	"shop/eventstore"
)

// letters are the files of a kind in the program's data folder, once there are as many as wanted.
func (p program) letters(kind string, want int) []string {
	p.t.Helper()
	var files []string
	until(p.t, fmt.Sprintf("%d letters %s", want, kind), func() bool {
		var err error
		if files, err = filepath.Glob(filepath.Join(p.config().DataDir, "mail", "*-"+kind+"-*.eml")); err != nil {
			p.t.Fatal(err)
		}
		return len(files) >= want
	})
	var texts []string
	for _, file := range files {
		text, _ := letterTo(p.t, file, "") // to anybody
		texts = append(texts, text)
	}
	return texts
}

func TestAnOrderIsConfirmedByALetter(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	s.placed(soap, 1, "CASH")
	letter := p.letters("order-placed", 1)[0]
	for _, part := range []string{"Заказ № 100001 принят", s.url + "/order/"} {
		if !strings.Contains(letter, part) {
			t.Errorf("the letter lacks %q:\n%s", part, letter)
		}
	}
	p.ok("orders", "approve", "100001")
	p.letters("order-approved", 1)
	if status := s.stop(); status != 0 {
		t.Errorf("status %d", status)
	}
	if files, _ := os.ReadDir(filepath.Join(p.config().DataDir, "mail")); len(files) != 2 {
		t.Errorf("%d letters", len(files))
	}
}

func TestAKazakhShopperIsWrittenToInKazakh(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	soap := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	body, err := json.Marshal(buyer(nil, pieces(soap, 1)))
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, s.url+"/api/orders/", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.AddCookie(&http.Cookie{Name: "lang", Value: "kk"})
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusCreated {
		t.Fatalf("status %d", response.StatusCode)
	}
	if letter := p.letters("order-placed", 1)[0]; !strings.Contains(letter, "№ 100001 тапсырыс қабылданды") {
		t.Error(letter)
	}
}

func TestLettersThatCannotBeSentAreFoundAndGivenUp(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	// A server that knows nobody.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				say := func(line string) { io.WriteString(conn, line+"\r\n") }
				say("220 test")
				buffer := make([]byte, 1024)
				for {
					n, err := conn.Read(buffer)
					if err != nil {
						return
					}
					switch line := strings.ToUpper(string(buffer[:n])); {
					case strings.HasPrefix(line, "EHLO"):
						say("250 test")
					case strings.HasPrefix(line, "RCPT"):
						say("550 5.1.1 " + string(buffer[5:n-2]) + " is unknown")
					case strings.HasPrefix(line, "QUIT"):
						say("221 bye")
						return
					default:
						say("250 ok")
					}
				}
			}()
		}
	}()
	p.env = append(p.env, "SHOP_SMTP_URL=smtp://"+listener.Addr().String(), "SHOP_MAIL_FROM=Магазин <orders@shop.example>")
	soap := p.stocked("MK-1", 9000, 10)
	s := p.serve()
	s.placed(soap, 1, "CASH")
	var dead []mail.Entry
	until(t, "a dead letter", func() bool {
		if err := json.Unmarshal([]byte(p.ok("mails", "list", "--format", "json")), &dead); err != nil {
			t.Fatal(err)
		}
		return len(dead) > 0
	})
	if len(dead) != 1 || dead[0].Kind != mail.KindOrderPlaced || dead[0].State != mail.Dead || !strings.Contains(dead[0].Error, "550") || strings.Contains(dead[0].Error, "@") {
		t.Errorf("%+v", dead)
	}
	id := dead[0].ID.String()
	if said := p.ok("mails", "retry", id); said != "1 to be tried again\n" {
		t.Errorf("said %q", said)
	}
	s.stop()
	if strings.Contains(s.stderr.String(), "@") {
		t.Errorf("the log names an address: %s", s.stderr)
	}

	if r := p.run("mails", "skip", id); r.status != terminal.Misuse {
		t.Errorf("without a reason: %+v", r)
	}
	if r := p.run("mails", "skip", uuid.NewString(), "--reason", "none"); r.status != terminal.Failed {
		t.Errorf("another's: %+v", r)
	}
	for _, args := range [][]string{{"mails", "retry"}, {"mails", "retry", "7"}, {"mails", "retry", id, "--all"}, {"mails", "preview", "love-letter"}, {"mails"}} {
		if r := p.run(args...); r.status != terminal.Misuse {
			t.Errorf("%v: %+v", args, r)
		}
	}
	// The retry may or may not have been made before the stop.
	if said := p.ok("mails", "list", "--all"); !strings.Contains(said, id) || !strings.Contains(said, "order-placed") {
		t.Errorf("listed:\n%s", said)
	}
}

func TestSampleLettersCanBeLookedAt(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	r := (program{t, nil}).run("mails", "preview", "welcome", "all", "--out", out)
	if files, _ := os.ReadDir(out); r.status != 0 || len(files) != 2*len(mail.Kinds()) {
		t.Errorf("%d files, %+v", len(files), r)
	}
}

// A link in a letter asks on GET, for programs follow links too, and unsubscribes on POST without a cookie.
func TestALetterLeadsOffItsList(t *testing.T) {
	t.Parallel()
	p := onDatabase(t)
	s := p.serve()
	ctx := t.Context()
	opened, err := app.OpenShop(ctx, p.config(), shoptest.Quiet, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close(ctx)
	links := opened.Links
	product, customer := uuid.New(), uuid.New()
	_, err = opened.Store.Append(ctx, eventstore.Append{Writes: []eventstore.Write{{Stream: restock.Stream(product), Events: []eventstore.NewEvent{
		{Data: restock.Subscribed{ProductID: product, CustomerID: customer, Place: 1, At: time.Now()}},
	}}}})
	if err != nil {
		t.Fatal(err)
	}
	link := strings.TrimPrefix(links.Unsubscribe(product, customer), links.PublicURL)
	length := func() int {
		t.Helper()
		events, err := opened.Store.Stream(ctx, restock.Stream(product), 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		return len(events)
	}

	for _, method := range []string{"GET", "POST"} {
		if status, _, body := s.send(method, strings.Replace(link, customer.String(), product.String(), 1), nil); status != 404 || !strings.Contains(body, "Ссылка не подходит") {
			t.Errorf("%s with another's key: %d %s", method, status, body)
		}
	}
	if status, header, body := s.send("GET", link, nil); status != 200 || !strings.Contains(body, "Отписаться от уведомления?") || header.Get("Cache-Control") != "no-store" || length() != 1 {
		t.Errorf("GET: %d %s", status, body)
	}
	if _, _, body := s.send("GET", link, nil, "Cookie", "lang=kk"); !strings.Contains(body, `<html lang="kk">`) || !strings.Contains(body, "Хабарламадан бас тартасыз ба?") {
		t.Errorf("GET in Kazakh: %s", body)
	}
	for range 2 {
		if status, _, body := s.send("POST", link, strings.NewReader("List-Unsubscribe=One-Click"), "Content-Type", "application/x-www-form-urlencoded"); status != 200 || !strings.Contains(body, "Вы отписались") {
			t.Errorf("POST: %d %s", status, body)
		}
	}
	if n := length(); n != 2 {
		t.Errorf("%d events", n)
	}
	nowhere := strings.TrimPrefix(links.Unsubscribe(uuid.New(), customer), links.PublicURL)
	if status, _, body := s.send("POST", nowhere, nil); status != 200 || !strings.Contains(body, "Вы отписались") {
		t.Errorf("a list that is not there: %d %s", status, body)
	}
}
