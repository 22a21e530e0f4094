package edge

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"shop/cmd/shop/pages"
	"shop/commands/shopapi"
	"shop/domain"
	"shop/eventstore"
	"shop/readapi"
	"shop/readapi/endpoint"
	"shop/readapi/sentences"
)

// What shoppers are told when the matter is not theirs.
const (
	textFailed   = "Что-то пошло не так. Попробуйте ещё раз позже"
	textNotFound = "Не найдено"
	TextMethod   = "Этот метод здесь не поддерживается"
	TextTooMany  = "Слишком много запросов. Попробуйте ещё раз чуть позже"
	textBusy     = "Магазин не успел ответить. Попробуйте ещё раз"
	textTooLarge = "Запрос слишком большой"
	textStarting = "Магазин открывается. Попробуйте ещё раз через несколько секунд"
)

// answer turns an endpoint's error into JSON, in the shopper's language. It is the one place where a request's error is logged:
// refusals are the shopper's business and not logged, our own failures are, once, with what they wrap.
func answer(log *slog.Logger, e endpoint.Endpoint) http.HandlerFunc {
	return answerIn(log, e, inLanguageOf)
}

// answerStaff is answer for staff, in the language of their page.
func answerStaff(log *slog.Logger, e endpoint.Endpoint) http.HandlerFunc {
	return answerIn(log, e, func(r *http.Request, body any) any { return sentences.TranslatedForStaff(endpoint.Language(r), body) })
}

func answerIn(log *slog.Logger, e endpoint.Endpoint, language func(*http.Request, any) any) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		err := e(w, r)
		if err == nil {
			return
		}
		status, body := problem(err)
		endpoint.SayWhen(w, err)
		if status >= 500 {
			endpoint.LogFailure(log, r, err)
		}
		endpoint.WriteJSON(w, status, language(r, body))
	}
}

// inLanguageOf is a body of sentences in the language that the request's cookie asks for.
func inLanguageOf(r *http.Request, body any) any {
	if pages.LanguageOf(r) == domain.Kazakh {
		return sentences.Translated(body)
	}
	return body
}

// tell answers a shopper with one sentence, in their language.
func tell(w http.ResponseWriter, r *http.Request, status int, sentence string) {
	endpoint.WriteJSON(w, status, inLanguageOf(r, endpoint.Detail(sentence)))
}

// problem says an error to a shopper.
func problem(err error) (status int, body any) {
	if status, body, ok := shopapi.Problem(err); ok {
		return status, body
	}
	if status, body, ok := readapi.Answer(err); ok {
		return status, body
	}
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return endpoint.Status(endpoint.TooLarge), endpoint.Detail(textTooLarge)
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isAway(err):
		return endpoint.Status(endpoint.Busy), endpoint.Detail(textBusy)
	}
	return endpoint.Status(endpoint.Failed), endpoint.Detail(textFailed)
}

// isAway says that the database was not there, or went while it was asked: it is being started anew, or a connection was
// cut; or that a newer version of the program, which is being deployed, wrote what was read. The next attempt may find it back, or
// the newer process.
func isAway(err error) bool {
	var (
		connecting *pgconn.ConnectError
		network    *net.OpError
		refused    *pgconn.PgError
	)
	if errors.As(err, &refused) {
		// Connection, no free connection, the server shuts down, crashed or starts.
		return strings.HasPrefix(refused.Code, "08") || refused.Code == "53300" || strings.HasPrefix(refused.Code, "57P")
	}
	return errors.Is(err, eventstore.ErrNewer) || errors.As(err, &connecting) || errors.As(err, &network) || pgconn.SafeToRetry(err) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed)
}
