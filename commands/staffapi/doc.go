// Package staffapi is the endpoints of staff that write: about orders, reviews and the accounts of staff.
//
// They are made as those of shoppers are (commands/shopapi): a type with the services that it calls adds its calls to a
// router, behind a guard that names the permission each of them takes. What they answer is English.
package staffapi
