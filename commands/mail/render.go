package mail

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"io"
	"net/mail"
	"strconv"
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
}

// Renderer writes letters.
type Renderer struct {
	Shop  Shop
	Links Links
	// From is an address, with a name or without; ReplyTo may be empty.
	From, ReplyTo string
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
}

// A kind's file has four templates: subject, preheader, html and text. The first two and the last are plain text.
//
//go:embed templates
var files embed.FS

type templates struct {
	html  *template.Template
	plain *text.Template
}

var parsed = sync.OnceValue(parse)

func parse() map[Kind]templates {
	words := map[string]any{
		"tenge": domain.Tenge, "day": day, "moment": moment, "button": func(label, url string) button { return button{label, url} },
		"lines": func(t string) []string { return strings.Split(strings.TrimSpace(t), "\n") }, "signed": signed, "pieces": pieces,
		"times": func(amount int64, price domain.Money) domain.Money { return amount * price },
	}
	html := template.Must(template.New("").Funcs(words).ParseFS(files, "templates/layout.html"))
	plain := text.Must(text.New("").Funcs(words).ParseFS(files, "templates/layout.txt"))
	all := map[Kind]templates{}
	for _, k := range Kinds() {
		// The file is read by both: each runs its own part of it.
		name := "templates/" + string(k) + ".tmpl"
		all[k] = templates{
			html:  template.Must(template.Must(html.Clone()).ParseFS(files, name)),
			plain: text.Must(text.Must(plain.Clone()).ParseFS(files, name)),
		}
	}
	return all
}

type button struct{ Label, URL string }

// Message writes a letter. Its Message-ID is made of ID; at is the time of the event it reports.
func (r *Renderer) Message(id domain.ID, at time.Time, to string, c Content) (Message, error) {
	from, err := mail.ParseAddress(r.From)
	if err != nil {
		return Message{}, fmt.Errorf("sender %q: %w", r.From, err)
	}
	t, known := parsed()[c.Kind()]
	if !known {
		return Message{}, fmt.Errorf("no letter is called %s", c.Kind())
	}
	l := letter{Shop: r.Shop, Home: r.Links.PublicURL, C: r.complete(c), Why: why(c)}
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
		return Message{}, fmt.Errorf("write %s: %w", c.Kind(), err)
	}
	return m, nil
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

// why says why somebody gets a letter.
func why(c Content) string {
	switch c.Kind() {
	case KindRestocked:
		return "Вы получили это письмо, потому что просили сообщить о поступлении товара."
	case KindReviewAnswered:
		return "Вы получили это письмо, потому что оставили отзыв в нашем магазине."
	case KindStaffNotice:
		return "Вы получили это письмо, потому что работаете в магазине и выбрали такие уведомления."
	case KindVerifyEmail, KindWelcome, KindResetCode, KindResetTries, KindRegistered, KindPasswordChanged, KindEmailRequested, KindEmailChanged, KindNewDevice, KindAccountErased:
		return "Это служебное письмо о Вашем аккаунте."
	default:
		return "Вы получили это письмо, потому что оформили заказ в нашем магазине."
	}
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

var (
	months   = [...]string{"", "января", "февраля", "марта", "апреля", "мая", "июня", "июля", "августа", "сентября", "октября", "ноября", "декабря"}
	weekdays = [...]string{"воскресенье", "понедельник", "вторник", "среда", "четверг", "пятница", "суббота"}
)

// day says a date YYYY-MM-DD: "2 марта, понедельник".
func day(date string) string {
	d, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return strconv.Itoa(d.Day()) + "\u00a0" + months[d.Month()] + ", " + weekdays[d.Weekday()]
}

// moment says a time in Almaty: "2 марта, 14:30".
func moment(at time.Time) string {
	at = at.In(domain.Almaty)
	return strconv.Itoa(at.Day()) + "\u00a0" + months[at.Month()] + ", " + at.Format("15:04")
}

// signed is an amount of an explanation, with its sign unless it is the first step.
func signed(i int, amount domain.Money) string {
	if i > 0 && amount > 0 {
		return "+" + domain.Tenge(amount)
	}
	return domain.Tenge(amount)
}

func pieces(n int64) string { return strconv.FormatInt(n, 10) + "\u00a0шт." }

// Where says where an order goes.
func (o Order) Where() string {
	switch {
	case o.Delivery == domain.Pickup:
		return "Самовывоз"
	case o.City == "" && o.Address == "":
		return "Доставка по адресу, указанному в заказе"
	case o.Address == "":
		return o.City
	case o.City == "":
		return o.Address
	}
	return o.City + ", " + o.Address
}

// PaidBy says how an order is paid.
func (o Order) PaidBy() string {
	switch o.Payment {
	case domain.Card:
		return "Банковской картой"
	case domain.KaspiBill:
		return "Счёт в Kaspi"
	case domain.Cash:
		return "Наличными при получении"
	}
	return string(o.Payment)
}

// ToPay says whether the shop waits for money.
func (o Order) ToPay() bool { return o.PayableNow > 0 && o.Payment != domain.Cash }
