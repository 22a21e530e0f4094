package dataset

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"strings"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"shop/domain"
)

// mask hides persons; the zero value hides nobody.
type mask struct {
	secret []byte
	known  *lru.Cache[string, string]
}

// pseudonyms is how many pseudonyms are kept, since most persons come again soon.
const pseudonyms = 1 << 14

func newMask(o Options) mask {
	if o.Unmasked {
		return mask{}
	}
	known, _ := lru.New[string, string](pseudonyms) // fails only for sizes below 1
	return mask{secret: o.Secret, known: known}
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
)

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
