// Package passkeys keeps passkeys of customers and staff (WebAuthn, https://www.w3.org/TR/webauthn-3/): they are state in
// tables, never events.
//
//	another site's answer    the origin and the id of the relying party come from SHOP_PUBLIC_URL
//	an answer sent again     a challenge is deleted when it is answered, and ends after five minutes
//	a key that was copied    a counter of signatures that does not grow is refused
//	a stolen device          the authenticator must verify its user, by a finger, a face or a PIN
package passkeys
