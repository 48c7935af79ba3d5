// Package setup says what the settings of a trial come to: the variant and the
// encoders that they name, the shape of the network, and the configurations of the
// packages that search, play and train. It is the one place where a key of the
// language (package experiment) becomes a field of a package that does the work: to
// add a key is to add its line here.
//
// It checks, too, what the language cannot know, as it knows no chess: that
// positions are positions, that an encoder can express the variant ([Load]).
//
// It does no work itself, opens no network and writes nothing.
package experiment
