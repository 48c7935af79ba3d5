package config_test

import (
	"fmt"

	"alamos/pkg/config"
)

// optimizer is a struct with settings, as it stands beside the code that uses it.
type optimizer struct {
	Kind string  `key:"kind" default:"sgd" enum:"sgd adam" doc:"Algorithm of the steps."`
	Rate float64 `key:"rate" default:"0.1" range:">0..1" doc:"Size of a step."`
	Beta float64 `key:"beta" default:"0.9" range:"0..<1" when:"kind=adam" doc:"Decay rate of the mean."`
}

func Example() {
	schema := config.Of[optimizer]()
	for _, text := range []string{"kind: adam\nrate: 1e-3\n", "kind: adm\nrte: 2\n"} {
		node, errs := config.Parse(config.Position{File: "x.yaml"}, []byte(text), "")
		r := &config.Reader{Whole: true, Bad: map[string]bool{}, Errs: errs}
		values, _ := schema.Read(r, "", node)
		if len(r.Errs) > 0 {
			fmt.Println(r.Errs.Sorted())
			continue
		}
		var o optimizer
		schema.Fill(&o, values)
		fmt.Printf("%+v\n%s", o, schema.YAML(values))
	}
	// Output:
	// {Kind:adam Rate:0.001 Beta:0.9}
	// kind: adam
	// rate: 0.001
	// beta: 0.9
	// x.yaml:1:7: kind: want sgd or adam, have adm (did you mean "adam"?)
	// x.yaml:2:1: rte: unknown key (did you mean "rate"?)
}
