package notices

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"shop/domain"
)

// Kinds of webhooks: the shop's own JSON with a signature, and Telegram's bot interface.
const (
	JSON     = "json"
	Telegram = "telegram"
)

// Hook is another program that is told, as people may see it.
type Hook struct {
	ID   domain.ID `json:"id"`
	Name string    `json:"name"`
	// Kind is json or telegram; Host is where it is.
	Kind     string  `json:"kind"`
	Host     string  `json:"host"`
	Causes   []Cause `json:"causes"`
	Language string  `json:"language"`
	Enabled  bool    `json:"enabled"`
	// ToldAt is when it last took a notice, FailedAt when it last did not, and Error why; nil and empty: never.
	ToldAt   *time.Time `json:"told_at"`
	FailedAt *time.Time `json:"failed_at"`
	Error    string     `json:"error"`
	// Waiting is how many notices wait for it.
	Waiting   int64     `json:"waiting"`
	ChangedBy string    `json:"changed_by"`
	ChangedAt time.Time `json:"changed_at"`
}

// HookSetting is what an admin says of a webhook. Empty secrets of a change keep the ones it has.
type HookSetting struct {
	Name     string  `json:"name"`
	Kind     string  `json:"kind"`
	Causes   []Cause `json:"causes"`
	Language string  `json:"language"`
	Enabled  bool    `json:"enabled"`
	// URL and Secret are of kind json: where to, and what signs.
	URL    string `json:"url"`
	Secret string `json:"secret"`
	// Token and Chat are of kind telegram: the bot's, and where it writes.
	Token string `json:"token"`
	Chat  string `json:"chat"`
}

// hookSecrets is what is sealed of a webhook.
type hookSecrets struct {
	URL    string `json:"url,omitempty"`
	Secret string `json:"secret,omitempty"`
	Token  string `json:"token,omitempty"`
	Chat   string `json:"chat,omitempty"`
}

// ErrNoHook: there is no such webhook.
var ErrNoHook = errors.New("notices: no such webhook")

// hooksMost is how many webhooks there may be.
const hooksMost = 20

var (
	botToken = regexp.MustCompile(`^[0-9]{1,20}:[A-Za-z0-9_-]{20,100}$`)
	chatName = regexp.MustCompile(`^(-?[0-9]{1,20}|@[A-Za-z0-9_]{4,40})$`)
)

// Hooks are all webhooks, by name.
func (b *Board) Hooks(ctx context.Context) ([]Hook, error) {
	rows, err := b.db.Query(ctx, `SELECT h.id, h.name, h.kind, h.host, h.causes, h.language, h.enabled, t.told_at, t.failed_at, coalesce(t.error, '') AS error,
			(SELECT count(*) FROM notice_jobs j WHERE j.target = 'hook:' || h.id AND j.done_at IS NULL AND j.dead_at IS NULL) AS waiting, h.changed_by, h.changed_at
		FROM notice_hooks h LEFT JOIN notice_targets t ON t.target = 'hook:' || h.id ORDER BY h.name, h.id`)
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	hooks, err := pgx.CollectRows(rows, pgx.RowToStructByName[Hook])
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	return hooks, nil
}

// AddHook makes a webhook. An error is *Wrong when the setting cannot be meant.
func (b *Board) AddHook(ctx context.Context, by string, s HookSetting) (domain.ID, error) {
	if wrong := b.wrongHook(s, hookSecrets{}); wrong != nil {
		return domain.ID{}, wrong
	}
	id := uuid.Must(uuid.NewV7())
	sealed, host, err := b.sealHook(id, s, hookSecrets{})
	if err != nil {
		return id, err
	}
	tag, err := b.db.Exec(ctx, `INSERT INTO notice_hooks (id, name, kind, host, sealed, causes, language, enabled, changed_by, changed_at)
		SELECT $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 WHERE (SELECT count(*) FROM notice_hooks) < $11`,
		id, strings.TrimSpace(s.Name), s.Kind, host, sealed, orEmpty(s.Causes), s.Language, s.Enabled, by, b.now(), hooksMost)
	if err != nil {
		return id, fmt.Errorf("keep a webhook: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return id, &Wrong{"name", "There are " + strconv.Itoa(hooksMost) + " webhooks already."}
	}
	return id, nil
}

// ChangeHook changes a webhook, and lets it be tried again at once. ErrNoHook: there is none.
func (b *Board) ChangeHook(ctx context.Context, by string, id domain.ID, s HookSetting) error {
	kind, known, err := b.hook(ctx, id)
	if err != nil {
		return err
	}
	if s.Kind != kind {
		return &Wrong{"kind", "A webhook keeps its kind."}
	}
	if wrong := b.wrongHook(s, known); wrong != nil {
		return wrong
	}
	sealed, host, err := b.sealHook(id, s, known)
	if err != nil {
		return err
	}
	_, err = b.db.Exec(ctx, `WITH again AS (UPDATE notice_targets SET failures = 0, open_until = NULL WHERE target = 'hook:' || $1::uuid)
		UPDATE notice_hooks SET name = $2, host = $3, sealed = $4, causes = $5, language = $6, enabled = $7, changed_by = $8, changed_at = $9 WHERE id = $1`,
		id, strings.TrimSpace(s.Name), host, sealed, orEmpty(s.Causes), s.Language, s.Enabled, by, b.now())
	if err != nil {
		return fmt.Errorf("change a webhook: %w", err)
	}
	return nil
}

// DropHook ends a webhook and what waits for it. ErrNoHook: there is none.
func (b *Board) DropHook(ctx context.Context, id domain.ID) error {
	tag, err := b.db.Exec(ctx, `WITH jobs AS (DELETE FROM notice_jobs WHERE target = 'hook:' || $1::uuid), known AS (DELETE FROM notice_targets WHERE target = 'hook:' || $1::uuid)
		DELETE FROM notice_hooks WHERE id = $1`, id)
	if err != nil {
		return fmt.Errorf("drop a webhook: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return ErrNoHook
	}
	return nil
}

// TryHook sends a webhook a trial. ErrNoHook: there is none.
func (b *Board) TryHook(ctx context.Context, id domain.ID) error {
	if _, _, err := b.hook(ctx, id); err != nil {
		return err
	}
	var jobs jobRows
	n := Notice{ID: uuid.Must(uuid.NewV7()), Cause: Trial, At: b.now()}
	if err := jobs.add(n, "hook:"+id.String(), n.At); err != nil {
		return err
	}
	return jobs.insert(ctx, b.db)
}

// hook opens what is sealed of a webhook.
func (b *Board) hook(ctx context.Context, id domain.ID) (kind string, s hookSecrets, err error) {
	var sealed []byte
	err = b.db.QueryRow(ctx, `SELECT kind, sealed FROM notice_hooks WHERE id = $1`, id).Scan(&kind, &sealed)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", s, ErrNoHook
	}
	if err != nil {
		return "", s, fmt.Errorf("read a webhook: %w", err)
	}
	plain, err := b.seal.Open(nil, nil, sealed, id[:])
	if err != nil {
		return "", s, errors.New("the webhook does not open with the key of the notices")
	}
	if err := json.Unmarshal(plain, &s); err != nil {
		return "", s, errors.New("the webhook is not understood")
	}
	return kind, s, nil
}

// merged are the secrets of a setting, and the known ones where it has none.
func (s HookSetting) merged(known hookSecrets) hookSecrets {
	for _, one := range []struct {
		known *string
		said  string
	}{{&known.URL, s.URL}, {&known.Secret, s.Secret}, {&known.Token, s.Token}, {&known.Chat, s.Chat}} {
		if one.said != "" {
			*one.known = one.said
		}
	}
	return known
}

func (b *Board) sealHook(id domain.ID, s HookSetting, known hookSecrets) (sealed []byte, host string, err error) {
	secrets := s.merged(known)
	plain, err := json.Marshal(secrets)
	if err != nil {
		return nil, "", fmt.Errorf("seal a webhook: %w", err)
	}
	host = "Telegram " + secrets.Chat
	if s.Kind == JSON {
		host = hostOf(secrets.URL)
	}
	return b.seal.Seal(nil, nil, plain, id[:]), host, nil
}

// wrongHook says what of a setting cannot be meant; nil: nothing.
func (b *Board) wrongHook(s HookSetting, known hookSecrets) error {
	secrets := s.merged(known)
	if name := strings.TrimSpace(s.Name); name == "" || utf8.RuneCountInString(name) > 60 {
		return &Wrong{"name", "Must have 1 to 60 characters."}
	}
	if slices.ContainsFunc(s.Causes, func(c Cause) bool { return !c.Known() }) {
		return &Wrong{"causes", "Is not known."}
	}
	if !slices.Contains(Languages, s.Language) {
		return &Wrong{"language", "Must be ru, kk or en."}
	}
	switch s.Kind {
	case JSON:
		if len(secrets.URL) > 2000 {
			return &Wrong{"url", "Is too long."}
		}
		if wrong := b.guard.Check(secrets.URL); wrong != "" {
			return &Wrong{"url", wrong}
		}
		if len(secrets.Secret) < 16 || len(secrets.Secret) > 200 {
			return &Wrong{"secret", "Must have 16 to 200 characters."}
		}
	case Telegram:
		if !botToken.MatchString(secrets.Token) {
			return &Wrong{"token", "Is not a bot's token."}
		}
		if !chatName.MatchString(secrets.Chat) {
			return &Wrong{"chat", "Must be a number or @name."}
		}
	default:
		return &Wrong{"kind", "Must be json or telegram."}
	}
	return nil
}

// hookBody is what a webhook of kind json gets. It names no person.
type hookBody struct {
	ID    domain.ID `json:"id"`
	Cause Cause     `json:"cause"`
	At    time.Time `json:"at"`
	About About     `json:"about"`
	// Text says the same to people; URL leads to the office.
	Text string `json:"text"`
	URL  string `json:"url"`
}

// Signature is what the header X-Shop-Signature has besides the time: HMAC-SHA256 of time, a full stop and the body.
func Signature(secret string, at int64, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	fmt.Fprintf(mac, "%d.", at)
	mac.Write(body)
	return hex.EncodeToString(mac.Sum(nil))
}

// post sends a notice to a webhook.
func (w *Worker) post(ctx context.Context, kind string, s hookSecrets, body hookBody) error {
	if kind == Telegram {
		return w.postTelegram(ctx, s, body)
	}
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(data))
	if err != nil {
		return errors.New("the address is none")
	}
	at := w.Board.now().Unix()
	request.Header.Set("Content-Type", "application/json; charset=utf-8")
	request.Header.Set("X-Shop-Notice", body.ID.String())
	request.Header.Set("X-Shop-Signature", fmt.Sprintf("t=%d,v1=%s", at, Signature(s.Secret, at, data)))
	status, err := sent(w.client(), request)
	if err != nil {
		return err
	}
	return answered(status)
}

// postTelegram has a bot write to a chat (core.telegram.org/bots/api, sendMessage).
func (w *Worker) postTelegram(ctx context.Context, s hookSecrets, body hookBody) error {
	data, err := json.Marshal(map[string]any{"chat_id": s.Chat, "text": body.Text + "\n" + body.URL, "link_preview_options": map[string]bool{"is_disabled": true}})
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, w.Telegram+"/bot"+s.Token+"/sendMessage", bytes.NewReader(data))
	if err != nil {
		return errors.New("the address is none")
	}
	request.Header.Set("Content-Type", "application/json")
	status, err := sent(w.client(), request)
	if err != nil {
		return err
	}
	return answered(status)
}

// sent makes a request and reads a little of the answer, so that the connection can be used again.
func sent(client *http.Client, request *http.Request) (status int, err error) {
	request.Header.Set("User-Agent", "shop-notices")
	response, err := client.Do(request)
	if err != nil {
		return 0, plain(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, io.LimitReader(response.Body, answerMost)); err != nil {
		return 0, plain(err)
	}
	return response.StatusCode, nil
}

// answered is nil for an answer that says yes.
func answered(status int) error {
	if status >= 200 && status < 300 {
		return nil
	}
	if status >= 300 && status < 400 {
		return fmt.Errorf("it leads elsewhere (%d), which is not followed", status)
	}
	return fmt.Errorf("it answered %d", status)
}
