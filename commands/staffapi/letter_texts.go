package staffapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/go-chi/chi/v5"

	"shop/commands/mail"
	"shop/domain"
	"shop/domain/content"
	"shop/domain/staff"
	"shop/readapi/endpoint"
	reads "shop/readapi/staff"
)

// LetterTexts are the calls of staff about what letters say. Texts are blocks of content: changes change them.
type LetterTexts struct {
	Wording mail.Wording
	Past    reads.Past
	// Sample writes a sample letter that has a text, in the words that are given; false for an unknown kind.
	Sample func(ctx context.Context, k mail.Kind, language, text string, words mail.Texts) (mail.Message, bool, error)
}

// Routes adds its calls.
func (s *LetterTexts) Routes(r chi.Router, allowed endpoint.Guard) {
	r.Method("GET", "/api/staff/letters/texts", allowed(staff.ChangeContent, s.list))
	r.Method("POST", "/api/staff/letters/texts/sample", allowed(staff.ChangeContent, s.sample))
	r.Method("GET", "/api/staff/letters/texts/sheet", allowed(staff.ChangeContent, s.sheet))
}

// editedLetter is a kind of letters with its texts as they are edited.
type editedLetter struct {
	Kind string `json:"kind"`
	// Changed: staff changed one of its texts.
	Changed bool             `json:"changed"`
	Texts   []editedSentence `json:"texts"`
}

// editedSentence is a text of a letter. Placeholders are what it may leave to the letter, Must those that it may not leave out.
type editedSentence struct {
	Name         string     `json:"name"`
	Placeholders []string   `json:"placeholders"`
	Must         []string   `json:"must"`
	RU           wordedText `json:"ru"`
	KK           wordedText `json:"kk"`
}

// wordedText is a text in a language. Own is the program's, which holds while Text is empty; Block is what changes call it.
type wordedText struct {
	Block string `json:"block"`
	Own   string `json:"own"`
	Text  string `json:"text"`
}

// list is GET /api/staff/letters/texts/?at=: all letters to shoppers with their texts. Those of the program are of this version of it.
func (s *LetterTexts) list(w http.ResponseWriter, r *http.Request) error {
	var blocks []string
	for _, l := range content.Letters {
		for _, t := range l.Texts {
			blocks = append(blocks, content.LetterBlock(l.Kind, t.Name, ""), content.LetterBlock(l.Kind, t.Name, domain.Kazakh))
		}
	}
	said, err := thenOrNow(r, s.Past, func(ctx context.Context, at *reads.Then) (map[string]string, error) {
		return mail.Wording{Log: at.Log()}.Blocks(ctx, time.Time{}, blocks)
	}, func(ctx context.Context) (map[string]string, error) {
		return s.Wording.Blocks(ctx, time.Time{}, blocks)
	})
	if err != nil {
		return err
	}
	var letters []editedLetter
	for _, l := range content.Letters {
		letter := editedLetter{Kind: l.Kind}
		for _, t := range l.Texts {
			in := func(language string) wordedText {
				block := content.LetterBlock(l.Kind, t.Name, language)
				letter.Changed = letter.Changed || said[block] != ""
				return wordedText{block, mail.OwnTexts(mail.Kind(l.Kind), language)[t.Name], said[block]}
			}
			letter.Texts = append(letter.Texts, editedSentence{t.Name, l.Placeholders(t), append([]string{}, t.Must...), in(""), in(domain.Kazakh)})
		}
		letters = append(letters, letter)
	}
	endpoint.WriteJSON(w, http.StatusOK, map[string]any{"results": letters})
	return nil
}

// sample is POST /api/staff/letters/texts/sample/: a letter as it would be with the texts given. Nothing is written or sent.
func (s *LetterTexts) sample(w http.ResponseWriter, r *http.Request) error {
	var asked struct {
		Kind     mail.Kind  `json:"kind"`
		Language string     `json:"language"`
		Text     string     `json:"text"`
		Texts    mail.Texts `json:"texts"`
	}
	if err := endpoint.StaffBody(r, &asked); err != nil {
		return err
	}
	if asked.Language != "ru" && asked.Language != domain.Kazakh {
		return endpoint.WrongField("language", "Must be ru or kk.")
	}
	for name, text := range asked.Texts {
		err := content.CheckLetterText(content.LetterBlock(string(asked.Kind), name, asked.Language), text)
		var refusal *domain.Refusal
		if errors.As(err, &refusal) {
			return endpoint.WrongField(name, refusal.Message)
		}
	}
	m, known, err := s.Sample(r.Context(), asked.Kind, asked.Language, asked.Text, asked.Texts)
	if err != nil {
		return err
	}
	if !known || asked.Kind == mail.KindStaffNotice {
		return endpoint.WrongField("kind", "There is no such letter.")
	}
	w.Header().Set("Cache-Control", "no-store")
	endpoint.WriteJSON(w, http.StatusOK, map[string]string{"subject": m.Subject, "html": m.HTML, "text": m.Text})
	return nil
}

// sheetPolicy lets a page in a frame of the office have styles of its own, as letters do. Nothing in it runs or is fetched.
const sheetPolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-same-origin"

// sheet is GET /api/staff/letters/texts/sheet/: the empty page into which the office puts a sample letter.
func (s *LetterTexts) sheet(w http.ResponseWriter, _ *http.Request) error {
	header := w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("X-Frame-Options", "SAMEORIGIN")
	header.Set("Content-Security-Policy", sheetPolicy)
	_, err := w.Write([]byte("<!DOCTYPE html><title></title>"))
	return err
}
