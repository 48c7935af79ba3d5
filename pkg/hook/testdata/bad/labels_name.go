package main

import "alamos/pkg/hook/alamos"

var Labels = alamos.Labels{"Games": {Text: "games"}} // want 5: "Games" is not a name of a metric

func Measure(g alamos.Generation) alamos.Metrics { return alamos.Metrics{"n": 1} }
