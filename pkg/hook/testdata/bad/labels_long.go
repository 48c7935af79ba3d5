package main

import (
	"strings"

	"alamos/pkg/hook/alamos"
)

var Labels = alamos.Labels{"games": {Text: strings.Repeat("long ", 20)}} // want 5: the label of games is "long long

func Measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"games": 1} }
