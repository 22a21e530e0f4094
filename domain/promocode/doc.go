// Package promocode is a code that takes a percentage or a sum off an order, within a window and a number of uses.
//
// An order holds its use until it gives it back, when it is cancelled or its payment fails. The limits count the uses
// held, so they are as sharp as the version that the code's stream is appended at: of two orders that decide over the
// last use, one conflicts, decides again and is refused.
//
// A code may be for a part of the goods (its scope) and for groups of customers. Its discount is of the goods in scope alone, while
// its least sum counts the whole order. Who is in a group is a fact of the customer's stream, which the order's append
// asserts: a customer who was taken out of the group a moment ago is refused.
package promocode
