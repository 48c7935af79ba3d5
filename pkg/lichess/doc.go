// Package lichess plays on lichess.org as a bot: it takes challenges, plays several
// games at once, and comes back after whatever befalls the connection. It speaks the
// Bot API of lichess (lichess.org/api), which other servers with the same interface
// speak too.
//
// Who may play, what and how fast is said by a [Policy]; what thinks is the caller's
// ([Config].Engine).
//
// It refuses to challenge anybody, to chat beyond a greeting, and to upgrade an
// account to a bot, which cannot be undone and is the owner's to do.
package lichess
