package train_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"alamos/pkg/data"
	"alamos/pkg/encode"
	"alamos/pkg/nn"
	"alamos/pkg/train"
)

// A network learns ten positions with the same move and result. A generation's samples are
// a file that self-play or an import wrote.
func ExampleRun() {
	dir, err := os.MkdirTemp("", "samples")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "gen-0001.parquet")
	samples := make([]encode.Sample, 10)
	for i := range samples {
		samples[i] = encode.Sample{Game: int32(i), Planes: make([]uint64, 16), Indices: []int32{7}, Policy: []float32{1}, Value: 1, Draw: -1}
	}
	if err := data.Write(file, data.Meta{Encoder: "atomic16", Policy: "uci1968", Variant: "atomic", Generation: 1}, samples); err != nil {
		log.Fatal(err)
	}
	window, err := data.Read(file)
	if err != nil {
		log.Fatal(err)
	}

	net, err := nn.New(nn.Spec{Planes: 16, PolicySize: 1968, Depth: 1, Width: 8, PolicyHead: nn.PolicyConv, PolicyChannels: 2}, 1)
	if err != nil {
		log.Fatal(err)
	}
	trainer, err := nn.NewTrainer(net, nn.Optimizer{Kind: "sgd", Momentum: 0.9}, nn.TrainerOptions{Threads: 1})
	if err != nil {
		log.Fatal(err)
	}
	defer trainer.Close()
	cfg := train.Config{Epochs: 3, Batch: 5, Validation: 0.2, Select: train.SelectLowest, Schedule: train.Schedule{Kind: "constant", Initial: 0.05}}
	var state train.State
	if state.Schedule, err = cfg.Schedule.Start(); err != nil {
		log.Fatal(err)
	}
	epochs, err := train.Run(context.Background(), cfg, net, trainer, window, train.Seeds{Split: 1, Shuffle: 2}, &state, nil, train.Hooks{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(epochs), "epochs; the loss falls:", epochs[2].Train.Total < epochs[0].Train.Total)
	// Output: 3 epochs; the loss falls: true
}
