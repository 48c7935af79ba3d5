// Package analysis says what a search thinks of a position: it makes plain data of a
// finished [search.Tree], and charts of that data.
//
// The figures of a notebook keep a short form of it in the store ([Answer]);
// `alamos analyze` asks for all of it ([Of]), and for what a network says of moves
// before those that are not legal are left out ([AskPolicy]).
//
// It knows neither runs nor files, and it chooses no move: engines do.
package report
