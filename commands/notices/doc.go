// Package notices tells staff at once what they chose to hear of: by mail, by Web Push and by webhook.
//
// A policy and [Watch] announce notices to [Board]; it makes a row for each target that wants one, in the same transaction.
// [Worker] delivers them, each target by itself, so that one that hangs slows no other:
//
//	failure                                  what follows
//	a target does not answer                 cut off after 5 s; the target rests, twice as long each time, up to an hour
//	a push address is gone (404, 410)        the address is dropped
//	ten attempts at a notice, or a day       it is given up
//	the process dies between send and commit the notice is sent again with the same id: at least once
//
// Addresses are https and public, redirects are not followed ([Guard]). What leaves the shop names an order by its number
// and a sum, a product by its name and article, and no person.
package notices
