// Package shopapi is the endpoints of shoppers that write: forms, cookies, statuses and the Russian sentences of what is
// wrong with a request.
//
// An endpoint reads its request into a command, lets a use case of commands or commands/identity carry it out, and answers
// with its result. It returns errors; Problem tells how to say them to a shopper. Every type of endpoints adds its own
// calls (Routes), behind the Guards that cmd/shop/edge puts before them.
package shopapi
