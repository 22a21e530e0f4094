package shopapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"shop/commands"
)

const (
	// maxBody bounds a request's body in bytes, maxDepth the nesting of its JSON.
	maxBody  = 64 << 10
	maxDepth = 8

	msgRequired = "Заполните поле"
	msgText     = "Введите текст"
	msgWhole    = "Введите целое число"
	msgFlag     = "Выберите да или нет"
	msgChars    = "Недопустимые символы"
	msgTwice    = "Поле указано дважды"
	msgUnknown  = "Неизвестное поле"
)

var (
	errTooLarge  = &Refused{http.StatusRequestEntityTooLarge, "Слишком большой запрос"}
	errMediaType = &Refused{http.StatusUnsupportedMediaType, "Ожидается JSON (Content-Type: application/json)"}
	errEncoding  = &Refused{http.StatusBadRequest, "Запрос должен быть в кодировке UTF-8"}
	errSyntax    = &Refused{http.StatusBadRequest, "Запрос не является правильным JSON"}
	errNoObject  = &Refused{http.StatusBadRequest, "Ожидается объект JSON"}
	errDeep      = &Refused{http.StatusBadRequest, "Слишком большая вложенность JSON"}
)

// object is a JSON object as it came. Twice names keys that came more than once.
type object struct {
	values map[string]any
	twice  []string
}

// readForm reads a request's body, a JSON object, strictly: size, media type, encoding and syntax.
func readForm(w http.ResponseWriter, r *http.Request) (*form, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "application/json" || r.Header.Get("Content-Encoding") != "" {
		return nil, errMediaType
	}
	if r.ContentLength > maxBody {
		return nil, errTooLarge
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			return nil, errTooLarge
		}
		return nil, &Refused{http.StatusBadRequest, "Запрос не дошёл целиком"}
	}
	if !utf8.Valid(body) {
		return nil, errEncoding
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	value, err := readValue(d, 0)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errSyntax
	}
	o, ok := value.(object)
	if !ok {
		return nil, errNoObject
	}
	return newForm(o), nil
}

// readValue reads one JSON value: object, []any, string, json.Number, bool or nil.
func readValue(d *json.Decoder, depth int) (any, error) {
	if depth > maxDepth {
		return nil, errDeep
	}
	token, err := d.Token()
	if err != nil {
		return nil, errSyntax
	}
	switch token {
	case json.Delim('{'):
		o := object{values: map[string]any{}}
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, errSyntax
			}
			name := key.(string) // the decoder lets nothing else stand here
			if _, ok := o.values[name]; ok {
				o.twice = append(o.twice, name)
			}
			if o.values[name], err = readValue(d, depth+1); err != nil {
				return nil, err
			}
		}
		if _, err := d.Token(); err != nil {
			return nil, errSyntax
		}
		return o, nil
	case json.Delim('['):
		list := []any{}
		for d.More() {
			value, err := readValue(d, depth+1)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		if _, err := d.Token(); err != nil {
			return nil, errSyntax
		}
		return list, nil
	}
	return token, nil
}

// form reads an object's fields by name and collects what is wrong with them; a field that was not read is
// unknown. The first message for a field stays.
type form struct {
	values map[string]any
	known  map[string]bool
	wrong  map[string]any
}

func newForm(o object) *form {
	f := &form{values: o.values, known: map[string]bool{}, wrong: map[string]any{}}
	for _, name := range o.twice {
		f.refuse(name, msgTwice)
	}
	return f
}

// refuse notes what is wrong with a field.
func (f *form) refuse(name, message string) {
	if _, ok := f.wrong[name]; !ok {
		f.wrong[name] = []string{message}
	}
}

// done is the form's verdict: nil, or *Invalid with every wrong field.
func (f *form) done() error {
	for name := range f.values {
		if !f.known[name] {
			f.refuse(name, msgUnknown)
		}
	}
	if len(f.wrong) == 0 {
		return nil
	}
	for name := range f.wrong {
		// "detail" would read as a sentence about the whole, and an overlong name is not worth repeating.
		if name == "detail" || name == "" || len(name) > 64 {
			return &Refused{http.StatusBadRequest, "В запросе есть неизвестное поле"}
		}
	}
	return &commands.Invalid{Fields: f.wrong}
}

func (f *form) value(name string) (any, bool) {
	f.known[name] = true
	v, ok := f.values[name]
	return v, ok
}

// textRule says what a text field may hold. Lengths are in characters, after trimming.
type textRule struct {
	max                      int
	required, null, newlines bool
}

// text reads a trimmed text; absent (or null, where that is allowed) reads as "".
func (f *form) text(name string, rule textRule) string {
	v, ok := f.value(name)
	if !ok || (v == nil && rule.null) {
		if rule.required {
			f.refuse(name, msgRequired)
		}
		return ""
	}
	s, ok := v.(string)
	if !ok {
		f.refuse(name, msgText)
		return ""
	}
	s = strings.TrimSpace(s)
	switch {
	case s == "" && rule.required:
		f.refuse(name, msgRequired)
	case !printable(s, rule.newlines):
		f.refuse(name, msgChars)
	case utf8.RuneCountInString(s) > rule.max:
		f.refuse(name, "Не больше "+strconv.Itoa(rule.max)+" символов")
	default:
		return s
	}
	return ""
}

// printable: no control characters (a NUL, say), and none that turn the direction of what follows.
func printable(s string, newlines bool) bool {
	for _, c := range s {
		if newlines && (c == '\n' || c == '\r' || c == '\t') {
			continue
		}
		if unicode.IsControl(c) || (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069') || c == utf8.RuneError {
			return false
		}
	}
	return true
}

// choice reads one of a few words; absent (or null, where that is allowed) reads as "".
func (f *form) choice(name, message string, null bool, of ...string) string {
	v, ok := f.value(name)
	if !ok || (v == nil && null) {
		return ""
	}
	s, _ := v.(string)
	for _, word := range of {
		if s == word {
			return s
		}
	}
	f.refuse(name, message)
	return ""
}

// flag reads a boolean; absent reads as false.
func (f *form) flag(name string) bool {
	v, ok := f.value(name)
	if !ok {
		return false
	}
	b, ok := v.(bool)
	if !ok {
		f.refuse(name, msgFlag)
	}
	return b
}

// whole reads a number of at least 0 without fraction or exponent; ok is false when it is absent, null or wrong.
func (f *form) whole(name string) (n int64, ok bool) {
	v, given := f.value(name)
	if !given || v == nil {
		return 0, false
	}
	if n, ok = whole(v); !ok || n < 0 {
		f.refuse(name, msgWhole)
		return 0, false
	}
	return n, true
}

func whole(v any) (int64, bool) {
	number, ok := v.(json.Number)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(number.String(), 10, 64)
	return n, err == nil
}

// bonuses reads how many bonuses to spend: true is −1 (as many as allowed), false and absent are 0.
func (f *form) bonuses(name string) int64 {
	v, _ := f.value(name)
	switch v := v.(type) {
	case nil:
		if _, given := f.values[name]; given {
			f.refuse(name, msgWhole)
		}
		return 0
	case bool:
		if v {
			return -1
		}
		return 0
	}
	n, ok := whole(v)
	if !ok || n < 0 {
		f.refuse(name, msgWhole)
		return 0
	}
	return n
}
