package mail

import (
	"bytes"
	"cmp"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/mail"
	"path"
	"strings"
	"sync"
	text "text/template"
	"time"

	"shop/domain"
)

// Shop is the sender as letters show it.
type Shop struct {
	// Name is the storefront's.
	Name, Email, Phone, Hours, LegalName, RegistrationNumber, Address string
	SocialName, SocialURL                                             string
	// HoursKK and AddressKK are Kazakh; empty: as in Russian.
	HoursKK, AddressKK string
}

// in is the shop as letters in a language show it.
func (s Shop) in(language string) Shop {
	if language == domain.Kazakh {
		s.Hours, s.Address = cmp.Or(s.HoursKK, s.Hours), cmp.Or(s.AddressKK, s.Address)
	}
	return s
}

// Renderer writes letters.
type Renderer struct {
	Shop  Shop
	Links Links
	// From is an address, with a name or without; ReplyTo may be empty.
	From, ReplyTo string
	// Texts are what staff changed of the letter that is written; nil: nothing.
	Texts Texts
}

// letter is what templates see.
type letter struct {
	Shop
	Home string
	// C is the content of the kind.
	C Content
	// Subject and Preheader are filled in for the layout.
	Subject, Preheader string
	// Why is why one gets this letter.
	Why         string
	Unsubscribe string
	// Forget is where a guest has the shop forget who they are; empty for others.
	Forget string
	// own and changed are the texts of the letter, values what they leave to it, said the names of those that it had.
	own, changed Texts
	values       map[string]string
	said         map[string]bool
}

// A kind's file has four templates: subject, preheader, html and text. The first two and the last are plain text. What they say is in
// texts.json, as far as staff may change it. Those of other languages than Russian are in a folder of the language, whose words.tmpl has
// what layouts say.
//
//go:embed templates
var files embed.FS

type templates struct {
	html  *template.Template
	plain *text.Template
}

// parsed are the letters of each language, parsed when they are first written: all together take 5 MB.
var parsed = sync.OnceValue(func() map[string]map[Kind]func() templates {
	all := map[string]map[Kind]func() templates{}
	for name := range languages {
		all[name] = map[Kind]func() templates{}
		for _, k := range Kinds() {
			// The notices to staff have one template: their words come translated.
			if k != KindStaffNotice || name == "" {
				all[name][k] = sync.OnceValue(func() templates { return parse(name, k) })
			}
		}
	}
	return all
})

// parse reads a kind's letter in a language.
func parse(language string, k Kind) templates {
	folder, functions := path.Join("templates", language), languages[language].functions()
	words := folder + "/words.tmpl"
	// The file is read by both: each runs its own part of it.
	file := folder + "/" + string(k) + ".tmpl"
	return templates{
		html:  template.Must(template.New("").Funcs(functions).ParseFS(files, "templates/layout.html", words, file)),
		plain: text.Must(text.New("").Funcs(functions).ParseFS(files, "templates/layout.txt", words, file)),
	}
}

type button struct{ Label, URL string }

// Message writes a letter. Its Message-ID is made of ID; at is the time of the event it reports.
func (r *Renderer) Message(id domain.ID, at time.Time, to string, c Content) (Message, error) {
	m, _, err := r.write(id, at, to, c)
	return m, err
}

// write writes a letter, and answers the names of the texts that it has.
func (r *Renderer) write(id domain.ID, at time.Time, to string, c Content) (Message, map[string]bool, error) {
	from, err := mail.ParseAddress(r.From)
	if err != nil {
		return Message{}, nil, fmt.Errorf("sender %q: %w", r.From, err)
	}
	c, spoken := languageOf(c)
	if c.Kind() == KindStaffNotice {
		spoken = ""
	}
	read, known := parsed()[spoken][c.Kind()]
	if !known {
		return Message{}, nil, fmt.Errorf("no letter is called %s", c.Kind())
	}
	t := read()
	l := letter{
		Shop: r.Shop.in(spoken), Home: r.Links.PublicURL, C: r.complete(c), Why: languages[spoken].because(c.Kind()),
		own: OwnTexts(c.Kind(), spoken), changed: r.Texts, said: map[string]bool{},
	}
	l.values = languages[spoken].values(l.Shop, c)
	if restocked, ok := c.(Restocked); ok {
		l.Unsubscribe = restocked.UnsubscribeURL
	}
	if guests, ok := c.(interface{ forgetting() string }); ok {
		l.Forget = guests.forgetting()
	}
	write := func(template interface {
		ExecuteTemplate(w io.Writer, name string, data any) error
	}, name string) string {
		var b bytes.Buffer
		if failed := template.ExecuteTemplate(&b, name, l); failed != nil && err == nil {
			err = failed
		}
		return strings.TrimSpace(b.String())
	}
	// A header is one line, whatever a product or a person is called.
	l.Subject = strings.Join(strings.Fields(write(t.plain, "subject")), " ")
	l.Preheader = write(t.plain, "preheader")
	m := Message{
		ID: id.String() + from.Address[strings.LastIndexByte(from.Address, '@'):], Kind: c.Kind(),
		From: r.From, ReplyTo: r.ReplyTo, To: to, Date: at, Unsubscribe: l.Unsubscribe,
		Subject: l.Subject, Text: tidy(write(t.plain, "letter")) + "\n", HTML: write(t.html, "letter") + "\n",
	}
	if err != nil {
		return Message{}, nil, fmt.Errorf("write %s: %w", c.Kind(), err)
	}
	return m, l.said, nil
}

// complete makes paths into links.
func (r *Renderer) complete(c Content) Content {
	switch c := c.(type) {
	case VerifyEmail:
		c.Path = r.Links.absolute(c.Path)
		return c
	case ResetCode:
		if c.Path != "" {
			c.Path = r.Links.absolute(c.Path)
		}
		return c
	case EmailRequested:
		c.Path = r.Links.absolute(c.Path)
		return c
	case EmailChanged:
		if c.Path != "" {
			c.Path = r.Links.absolute(c.Path)
		}
		return c
	}
	return c
}

// tidy takes the blank lines and the spaces away that templates leave.
func tidy(plain string) string {
	var b strings.Builder
	blank := 0
	for line := range strings.Lines(plain) {
		if line = strings.TrimRight(line, " \t\r\n"); line == "" {
			blank++
			continue
		}
		if b.Len() > 0 {
			b.WriteString(strings.Repeat("\n", 1+min(blank, 1)))
		}
		blank = 0
		b.WriteString(line)
	}
	return b.String()
}

// signed is an amount of an explanation, with its sign unless it is the first step.
func signed(i int, amount domain.Money) string {
	if i > 0 && amount > 0 {
		return "+" + domain.Tenge(amount)
	}
	return domain.Tenge(amount)
}

// ToPay says whether the shop waits for money.
func (o Order) ToPay() bool { return o.PayableNow > 0 && o.Payment != domain.Cash }
