package dataset

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"strings"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"shop/domain"
	"shop/domain/basket"
	"shop/domain/promocode"
	"shop/eventstore"
)

// mask hides persons; the zero value hides nobody.
type mask struct {
	secret []byte
	known  *lru.Cache[string, string]
	cities func(string) (string, bool)
}

// pseudonyms is how many pseudonyms are kept, since most persons come again soon.
const pseudonyms = 1 << 14

func newMask(o Options) mask {
	if o.Unmasked {
		return mask{}
	}
	known, _ := lru.New[string, string](pseudonyms) // fails only for sizes below 1
	return mask{secret: o.Secret, known: known, cities: o.Cities}
}

func (m mask) hides() bool { return m.known != nil }

// person is who someone is in the files: a pseudonym, the first half of an HMAC-SHA256 in the shape of an identifier, or
// unmasked what they are in the log.
func (m mask) person(is string) string {
	if !m.hides() || is == "" {
		return is
	}
	if told, ok := m.known.Get(is); ok {
		return told
	}
	hash := hmac.New(sha256.New, m.secret)
	hash.Write([]byte(is))
	id := uuid.UUID(hash.Sum(nil)[:16])
	id[6], id[8] = id[6]&0x0f|0x80, id[8]&0x3f|0x80 // version 8: made as its maker likes
	told := id.String()
	m.known.Add(is, told)
	return told
}

// either is a person by the account, or by the key of a guest.
func (m mask) either(customer, guest domain.ID) string {
	if customer != uuid.Nil {
		return m.person(customer.String())
	}
	if guest == uuid.Nil {
		return ""
	}
	return m.person(guest.String())
}

// name masks the person in the name of a stream or an actor, such as customer-<id> or staff:<name>.
func (m mask) name(of string) string {
	if !m.hides() {
		return of
	}
	for _, prefix := range personalNames {
		if who, found := strings.CutPrefix(of, prefix); found {
			return prefix + m.person(who)
		}
	}
	return of
}

var (
	personalNames = []string{"customer-", "bonus-", "staff-", "customer:", "staff:", "cli:"}
	// personalMembers are the members of payloads that name a person, wherever they stand.
	personalMembers = [][]byte{[]byte(`"customer_id"`), []byte(`"person_id"`), []byte(`"customer"`)}
	nobody          = []byte(uuid.Nil.String())
	// unknownCode and invalidCode stand in payloads whose promo code may be anything that was typed: see mask.code and mask.refused.
	unknownCode = []byte(`"` + promocode.ErrUnknown.Message + `"`)
	invalidCode = []byte(`"` + basket.ReasonPromoInvalid + `"`)
)

// checked are the schema versions since which events name only cities that the shop knows.
var checked = map[string]int{"order.placed": 4, "basket.priced": 2, "basket.checkout-refused": 2}

// city is a city as masked files name it. What customers typed before events were checked may be an address.
func (m mask) city(typed string, event *eventstore.Event) string {
	if !m.hides() || m.cities == nil || typed == "" || event.Schema >= checked[event.Type] {
		return typed
	}
	if name, known := m.cities(typed); known {
		return name
	}
	return domain.OtherCity
}

// code is the promo code of a pricing as masked files name it. Events from before basket.UnknownCode have what was typed, which may be
// a name or a phone: their calculation says that there was no such code.
func (m mask) code(typed, problem string) string {
	if m.hides() && problem == promocode.ErrUnknown.Message {
		return basket.UnknownCode
	}
	return typed
}

// refused is the promo code of a refused checkout. Such an event does not say whether there was the code that brought nothing.
func (m mask) refused(typed, reason string) string {
	if m.hides() && typed != "" && reason == basket.ReasonPromoInvalid {
		return basket.UnknownCode
	}
	return typed
}

// words are a stored payload without what customers typed before it was sealed or checked.
func (m mask) words(event *eventstore.Event, stored []byte) []byte {
	if !m.hides() || event.Metadata.Imported {
		return stored
	}
	if event.Type == "review.posted" && event.Schema < 2 {
		return texts(stored, `"content"`, func(string) string { return "" })
	}
	if m.cities != nil && event.Schema < checked[event.Type] {
		stored = texts(stored, `"city"`, func(typed string) string { return m.city(typed, event) })
	}
	if event.Type == "basket.priced" && bytes.Contains(stored, unknownCode) || event.Type == "basket.checkout-refused" && bytes.Contains(stored, invalidCode) {
		stored = texts(stored, `"promocode"`, func(string) string { return basket.UnknownCode })
	}
	return stored
}

// texts replaces the texts that a payload's members of a name hold.
func texts(payload []byte, member string, replace func(string) string) []byte {
	var out []byte
	for {
		i := bytes.Index(payload, []byte(member))
		if i < 0 {
			return append(out, payload...)
		}
		out, payload = append(out, payload[:i+len(member)]...), payload[i+len(member):]
		begin := len(payload) - len(bytes.TrimLeft(payload, ": \t\r\n"))
		if begin == 0 || begin == len(payload) || payload[begin] != '"' {
			continue // a text, and no member's name
		}
		end := begin + 1
		for end < len(payload) && payload[end] != '"' {
			if payload[end] == '\\' {
				end++
			}
			end++
		}
		var text string
		if end >= len(payload) || json.Unmarshal(payload[begin:end+1], &text) != nil {
			continue
		}
		said, err := json.Marshal(replace(text))
		if err != nil {
			continue
		}
		out, payload = append(append(out, payload[:begin]...), said...), payload[end+1:]
	}
}

// payload is a stored payload without its sealed fields, with the persons in it masked. Stream is where it stands.
func (m mask) payload(stream string, stored []byte) string {
	if !m.hides() {
		return string(stored)
	}
	for _, of := range personalNames[:3] {
		if who, found := strings.CutPrefix(stream, of); found && who != "" {
			stored = bytes.ReplaceAll(stored, []byte(who), []byte(m.person(who)))
			break
		}
	}
	for _, member := range personalMembers {
		stored = m.members(stored, member)
	}
	return string(stored)
}

// members masks the texts that a payload's members of a name hold. Who is masked already
// stays so.
func (m mask) members(payload, member []byte) []byte {
	i := bytes.Index(payload, member)
	if i < 0 {
		return payload
	}
	masked := make([]byte, 0, len(payload))
	for ; i >= 0; i = bytes.Index(payload, member) {
		masked = append(masked, payload[:i+len(member)]...)
		payload = payload[i+len(member):]
		begin := len(payload) - len(bytes.TrimLeft(payload, ": \t\r\n"))
		if begin == 0 || begin == len(payload) || payload[begin] != '"' {
			continue
		}
		end := bytes.IndexByte(payload[begin+1:], '"')
		if end < 0 {
			continue
		}
		who := payload[begin+1 : begin+1+end]
		masked = append(masked, payload[:begin+1]...)
		if len(who) == 0 || bytes.Equal(who, nobody) || isPseudonym(who) {
			masked = append(masked, who...)
		} else {
			masked = append(masked, m.person(string(who))...)
		}
		payload = payload[begin+1+end:]
	}
	return append(masked, payload...)
}

// isPseudonym knows pseudonyms by their version; identifiers of the log are of versions 4, 5 and 7.
func isPseudonym(who []byte) bool { return len(who) == 36 && who[14] == '8' }
