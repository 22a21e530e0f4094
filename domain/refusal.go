package domain

// Refusal is a command's "no": a rule of the shop forbids it. A refusal is a value made once, compared with errors.Is.
type Refusal struct {
	// Code is public and stable, such as "order/already-paid".
	Code string
	// Message says why, in Russian when a shopper can meet it.
	Message string
}

// Refuse names a refusal.
func Refuse(code, message string) *Refusal { return &Refusal{Code: code, Message: message} }

func (r *Refusal) Error() string { return r.Code + ": " + r.Message }
