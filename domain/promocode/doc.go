// Package promocode is a code that takes a percentage or a sum off an order, within a window and a number of uses.
//
// An order holds its use until it gives it back, when it is cancelled or its payment fails. The limits count the uses
// held, so they are as sharp as the version that the code's stream is appended at: of two orders that decide over the
// last use, one conflicts, decides again and is refused.
package promocode
