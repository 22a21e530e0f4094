package mail

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
)

var update = flag.Bool("update", false, "write the golden letters anew")

var dala = &Renderer{
	Shop: Shop{
		Name: "Дала", Email: "hello@shop.example", Phone: "+7 701 000 00 00", Hours: "ежедневно с 10:00 до 19:00", LegalName: "ТОО «Дала»",
		RegistrationNumber: "БИН 000000000000", Address: "Алматы, пр. Достык, 208/5", SocialName: "Instagram", SocialURL: "https://www.instagram.com/",
	},
	Links: Links{PublicURL: "https://shop.example", Key: make([]byte, 32)},
	From:  "Дала <orders@shop.example>", ReplyTo: "hello@shop.example",
}

func TestEveryKindHasItsLetter(t *testing.T) {
	t.Parallel()
	if len(Kinds()) != 25 {
		t.Errorf("%d kinds", len(Kinds()))
	}
	for _, k := range Kinds() {
		m, _, err := dala.Sample(k, "")
		if err != nil {
			t.Errorf("%s: %v", k, err)
			continue
		}
		for name, got := range map[string]string{string(k) + ".html": m.HTML, string(k) + ".txt": "Subject: " + m.Subject + "\n\n" + m.Text} {
			path := filepath.Join("testdata", name)
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; look at it and write it anew with -update:\n%s", name, got)
			}
			for _, wrong := range []string{"<no value>", "%!", "{{", "ZgotmplZ", "  \n\n\n"} {
				if strings.Contains(got, wrong) {
					t.Errorf("%s has %q", name, wrong)
				}
			}
		}
		// What mail clients block or drop, and what would tell others that the letter was opened.
		for _, wrong := range []string{"<img", "<script", "@import", "url(", "<link", "<form"} {
			if strings.Contains(m.HTML, wrong) {
				t.Errorf("%s has %s", k, wrong)
			}
		}
		if size := len(m.HTML); size > 100<<10 {
			t.Errorf("%s has %d bytes; Gmail cuts at 102 KB", k, size)
		}
		if m.Unsubscribe != "" != (k == KindRestocked) {
			t.Errorf("%s: unsubscribe %q", k, m.Unsubscribe)
		}
	}
}

func TestWhatPeopleWroteStaysText(t *testing.T) {
	t.Parallel()
	m, err := dala.Message(uuid.New(), time.Now(), "anna@shop.example", ReviewAnswered{
		Name: "<b>Анна</b>", Product: "Мыло\r\nBcc: all@shop.example", ProductURL: "javascript:alert(1)", Answer: "<script>alert(1)</script>\n& ещё",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []string{"<b>Анна", "<script", `"javascript:`} {
		if strings.Contains(m.HTML, wrong) {
			t.Errorf("the letter has %s", wrong)
		}
	}
	m, err = dala.Message(uuid.New(), time.Now(), "anna@shop.example", Restocked{Product: "Мыло\r\nBcc: all@shop.example"})
	if err != nil {
		t.Fatal(err)
	}
	if m.Subject != "Снова в наличии: Мыло Bcc: all@shop.example" {
		t.Errorf("subject %q", m.Subject)
	}
}

func TestLinksOpenOneThing(t *testing.T) {
	t.Parallel()
	links := Links{PublicURL: "https://shop.example", Key: []byte(strings.Repeat("k", 32))}
	one, other := uuid.UUID{15: 1}, uuid.UUID{15: 2}
	key := links.OrderKey(one)
	if !links.OpensOrder(one, key) || links.OpensOrder(other, key) || links.OpensOrder(one, "") || links.OpensOrder(one, key+"A") {
		t.Error("an order's key opens another, or not its own")
	}
	if _, found := strings.CutPrefix(links.Order(one), "https://shop.example/order/"+one.String()+"#"+key); !found {
		t.Error(links.Order(one))
	}
	if _, found := strings.CutPrefix(links.ForgetOrder(one), "https://shop.example/forget/order/"+one.String()+"#"+key); !found {
		t.Error(links.ForgetOrder(one))
	}
	_, key, _ = strings.Cut(links.ForgetReview(one), "#")
	if !links.OpensReview(one, key) || links.OpensReview(other, key) || links.OpensReview(one, "") || links.OpensOrder(one, key) || links.OpensReview(one, links.OrderKey(one)) {
		t.Error("a review's key opens another, or an order, or not its own")
	}
	_, key, _ = strings.Cut(links.Unsubscribe(one, other), "?key=")
	if !links.Unsubscribes(one, other, key) || links.Unsubscribes(other, one, key) || links.OpensOrder(one, key) {
		t.Error("a place's key is another's, or not its own")
	}
	if (Links{Key: []byte("other")}).OpensOrder(one, links.OrderKey(one)) {
		t.Error("a key of another shop opens")
	}
}
