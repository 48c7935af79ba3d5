// Package layers lists the networks of experiments and of checkpoints layer by
// layer: shapes and numbers of parameters. It makes no network: what it says is a
// function of the settings.
package report
