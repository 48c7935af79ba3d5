// Package estimate says how long the work of a stage will take on this machine: from
// what earlier runs have left in their manifests, where there are any, and else from
// a probe of seconds that plays and trains with a network of the same shape.
//
// What neither can tell is NaN, never a guess. An estimate decides no result and is
// no input of any stage.
package run
