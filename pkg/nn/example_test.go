package nn_test

import (
	"fmt"
	"log"
	"math"

	"alamos/pkg/encode"
	"alamos/pkg/nn"
)

// The priors of an untrained network are nearly equal, and its value is about 0.
func Example() {
	network, err := nn.New(nn.Spec{Planes: 12, PolicySize: 1968, Depth: 1, Width: 16, PolicyHead: nn.PolicyConv}, 1)
	if err != nil {
		log.Fatal(err)
	}
	model, err := network.Compile(nn.InferenceOptions{Batch: 8, Precision: nn.FP32})
	if err != nil {
		log.Fatal(err)
	}
	defer model.Close()
	session, err := model.NewSession()
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	leaf := &encode.Leaf{Planes: make([]uint64, 12), Indices: []int32{0, 100, 200}, Sign: 1}
	if err := session.Evaluate([]*encode.Leaf{leaf}); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d moves, priors of about %.1f, value of about %.0f\n", len(leaf.Priors), leaf.Priors[0], math.Abs(float64(leaf.Value)))
	// Output: 3 moves, priors of about 0.3, value of about 0
}
