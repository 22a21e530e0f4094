// Package document holds the texts that shoppers agree to: the privacy policy and the public offer. Each publication is a version of
// its own that is never reused, so an order that names a version names one text for ever. Text arrives sanitised already.
package document
