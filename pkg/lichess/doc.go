// Package lichess plays on lichess.org as a bot: it accepts challenges, plays several
// games at once, and reconnects after every failure. It speaks the Bot API of lichess
// (lichess.org/api), which other servers implement, too.
//
// A [Policy] says which challenges it accepts. The caller provides the engines
// ([Config].Engine).
//
// It refuses to challenge anybody, to chat, and to upgrade an account to a bot, which
// cannot be undone and is the owner's decision.
package lichess
