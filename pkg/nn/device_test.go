package nn

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sugarme/gotch"

	"alamos/pkg/chess"
)

// What is for devices is tested on the processor, where all of it but the waiting
// works too, and on every CUDA device that is there. ALAMOS_TEST_DEVICE names a device
// that must be there: without it a machine whose driver does not work would pass.

func testDevices(t testing.TB) []string {
	t.Helper()
	if _, err := Devices(os.Getenv("ALAMOS_TEST_DEVICE")); err != nil {
		t.Fatal(err)
	}
	names := []string{CPU}
	if gotch.CUDA.IsAvailable() {
		every, err := Devices(AllCUDA)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, every...)
	}
	return names
}

// onDevice are the options of an evaluator for devices.
func onDevice(name, precision string) InferenceOptions {
	return InferenceOptions{Batch: 16, Precision: precision, Device: name, generic: true}
}

// The evaluator for devices does what the graph in training does, in networks of
// every kind of layer, and on a device answers for each position by itself.
func TestDeviceEvaluator(t *testing.T) {
	constant := tiny()
	constant.Constant = make([]bool, constant.Planes)
	constant.Constant[1] = true
	specs := slices.Concat(shapes(), headed(), transformers(), []Spec{constant, {Planes: 21, PolicySize: 300, Depth: 2, Width: 48}})
	for _, device := range testDevices(t) {
		for i, s := range specs {
			t.Run(fmt.Sprintf("%s %d %s %s", device, i, s.shape(), s.headsName()), func(t *testing.T) {
				n := mustNew(t, s, 7)
				x := mustTrainerWith(t, n, Optimizer{Kind: Adam}, TrainerOptions{Threads: 1, Precision: FP32})
				b := randomBatch(5, s, 32)
				for range 3 {
					step(t, x, b, 0.003)
				}
				for _, precision := range []string{FP32, BF16} {
					if device == CPU && precision == BF16 && !hasBF16() {
						continue
					}
					testAgreement(t, n, x, onDevice(device, precision))
					if device != CPU { // where a BLAS sums by another order at the end of a matrix
						testIndependence(t, n, onDevice(device, precision))
					}
				}
			})
		}
	}
}

// A network learns on a device what it learns on the processor, and both save the
// same kind of thing.
func TestDeviceTraining(t *testing.T) {
	for _, device := range testDevices(t) {
		for _, o := range []Optimizer{momentum, {Kind: Adam, WeightDecay: 1e-4}, {Kind: AdamW, WeightDecay: 1e-2}} {
			for _, precision := range []string{FP32, BF16} {
				if device == CPU && precision == BF16 && !hasBF16() {
					continue
				}
				t.Run(fmt.Sprintf("%s %s %s", device, o.Kind, precision), func(t *testing.T) {
					for _, s := range []Spec{
						tiny(), auxiliaries(),
						{Planes: 16, PolicySize: 100, Depth: 2, Width: 24, Trunk: TrunkPreactivation, Activation: Mish, Attention: AttentionCBAM, Dropout: 0.2, PolicyHead: PolicyConv, Value: ValueWDL, MovesLeft: true},
						{Planes: 16, PolicyMap: "uci2206-mover", PolicySize: 2206, Depth: 1, Width: 16, PolicyHead: PolicyAttention, ValuePooling: true},
						transformers()[2],
					} {
						testDeviceTraining(t, s, o, TrainerOptions{Precision: precision, Device: device, generic: true})
					}
				})
			}
		}
	}
}

func testDeviceTraining(t *testing.T, s Spec, o Optimizer, on TrainerOptions) {
	t.Helper()
	here := mustTrainerWith(t, mustNew(t, s, 1), o, TrainerOptions{Precision: on.Precision, Threads: 1})
	there := mustTrainerWith(t, mustNew(t, s, 1), o, on)
	for i := range 6 {
		b := randomBatch(uint64(i), s, 24)
		want, have := step(t, here, b, 1e-3), step(t, there, b, 1e-3)
		if d := math.Abs(have.Total - want.Total); !(d <= tolerance(on.Precision, 1e-3, 0.05)*max(1, want.Total/5)) {
			t.Errorf("step %d: loss %v, want %v", i, have, want)
		}
	}
	want, wantRight, err1 := here.Measure(randomBatch(9, s, 24))
	have, right, err2 := there.Measure(randomBatch(9, s, 24))
	if err := errors.Join(err1, err2); err != nil {
		t.Fatal(err)
	}
	if d := math.Abs(have.Total - want.Total); !(d <= tolerance(on.Precision, 1e-3, 0.05)*max(1, want.Total/5)) || right.N != wantRight.N {
		t.Errorf("in evaluation: loss %v and accuracy %v, want %v and %v", have, right, want, wantRight)
	}

	// Training continues here from the same bits.
	saved := mustState(t, there.net)
	state, err := there.State()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(here.net.Load(saved), here.Load(state)); err != nil {
		t.Fatal(err)
	}
	again, err := here.State()
	if err != nil {
		t.Fatal(err)
	}
	sameTensors(t, "network of another device", saved, mustState(t, here.net))
	sameTensors(t, "state of another device", state, again)
}

// Training that was saved and loaded on a device continues as if it had not been interrupted.
func TestDeviceResume(t *testing.T) {
	for _, device := range testDevices(t) {
		t.Run(device, func(t *testing.T) {
			for _, o := range []Optimizer{momentum, {Kind: Adam, WeightDecay: 1e-4}} {
				testResume(t, tiny(), o, TrainerOptions{Precision: FP32, Device: device, generic: true})
			}
		})
	}
}

// The same training on a device gives the same bits each time.
func TestDeviceRepeats(t *testing.T) {
	for _, device := range testDevices(t) {
		for _, o := range []Optimizer{{Kind: Adam}, {Kind: SGD, Momentum: 0.9, GradientClip: 1}} {
			for _, s := range []Spec{sparseSpec(sparseCodec(t, chess.Atomic)), auxiliaries(), transformers()[0], transformers()[1]} {
				t.Run(fmt.Sprintf("%s %s %s", device, o.Kind, s.Trunk), func(t *testing.T) {
					batch := func(i uint64) *Batch { return randomBatch(i, s, 100) }
					if s.Trunk == TrunkSparse {
						batch = func(i uint64) *Batch { return gameBatch(t, i, chess.Atomic, 100) }
					}
					var first Tensors
					for range 2 {
						n := mustNew(t, s, 1)
						x := mustTrainerWith(t, n, o, TrainerOptions{Device: device, generic: true})
						for i := range uint64(3) {
							step(t, x, batch(i), 0.01)
						}
						if state := mustState(t, n); first == nil {
							first = state
						} else {
							sameTensors(t, "again", first, state)
						}
					}
				})
			}
		}
	}
}

// No step on a device leaves a tensor behind.
func TestDeviceMemory(t *testing.T) {
	s := tiny()
	for _, device := range testDevices(t) {
		for _, kind := range []string{SGD, Adam} {
			before := liveTensors.Load()
			x := mustTrainerWith(t, mustNew(t, s, 1), Optimizer{Kind: kind}, TrainerOptions{Device: device, generic: true})
			b := randomBatch(1, s, 16)
			step(t, x, b, 1e-3)
			held := liveTensors.Load()
			for range 5 {
				step(t, x, b, 1e-3)
				if _, _, err := x.Measure(b); err != nil {
					t.Fatal(err)
				}
			}
			if now := liveTensors.Load(); now != held {
				t.Errorf("%s: 5 steps left %d tensors", device, now-held)
			}
			if err := x.Close(); err != nil {
				t.Fatal(err)
			}
			if now := liveTensors.Load(); now != before {
				t.Errorf("%s: a closed trainer left %d tensors", device, now-before)
			}
		}
	}
}

// Sessions of a model on several devices take turns and answer alike.
func TestSeveralDevices(t *testing.T) {
	s := tiny()
	n, _ := trained(t, s)
	devices := strings.Join(testDevices(t)[1:], ",")
	if devices == "" {
		t.Skip("no CUDA device")
	}
	m := mustModel(t, n, InferenceOptions{Batch: 16, Device: devices})
	want := ""
	for range 2 * len(m.Devices()) {
		leaves := randomLeaves(2, s, 20)
		if err := mustSession(t, m).Evaluate(leaves); err != nil {
			t.Fatal(err)
		}
		if have := answer(leaves[7]); want == "" {
			want = have
		} else if have != want {
			t.Error("devices of one kind give different answers")
		}
	}
}

// Devices that share the micro-batches of a training give the bits of one of them.
func TestSeveralDevicesTrain(t *testing.T) {
	devices := testDevices(t)[1:]
	if len(devices) < 2 {
		t.Skip("no two CUDA devices")
	}
	for _, o := range []Optimizer{{Kind: SGD, Momentum: 0.9, GradientClip: 1, MicroBatches: 4}, {Kind: Adam, MicroBatches: 4}} {
		for _, precision := range []string{FP32, BF16} {
			one := microTrained(t, tiny(), o, TrainerOptions{Device: devices[0], Precision: precision})
			all := microTrained(t, tiny(), o, TrainerOptions{Device: strings.Join(devices, ","), Precision: precision})
			if !reflect.DeepEqual(one, all) {
				t.Errorf("%s, %s: %d devices give other bits than one", o.Kind, precision, len(devices))
			}
		}
	}
}

func TestTower(t *testing.T) {
	options := []InferenceOptions{{Batch: 16, Precision: FP32}}
	for _, device := range testDevices(t) {
		options = append(options, onDevice(device, FP32))
	}
	for _, o := range options {
		x, err := NewTower(tiny(), o)
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Run(); err != nil {
			t.Error(err)
		}
		x.Close()
		x.Close()
		if err := x.Run(); err == nil || !strings.Contains(err.Error(), "closed") {
			t.Errorf("a closed tower: %v", err)
		}
	}
}

func TestDeviceNames(t *testing.T) {
	there := len(testDevices(t)) - 1
	for list, want := range map[string]string{"": "[cpu]", "cpu": "[cpu]", "cpu,cuda": `no "cpu"`, "abacus": `no "abacus"`, "cuda:x": `no "cuda:x"`, "cuda:-1": `no "cuda:-1"`, "cuda:4096": "no cuda:4096"} {
		have, err := Devices(list)
		if got := fmt.Sprint(have, err); !strings.Contains(got, want) {
			t.Errorf("%q: %s, want %s", list, got, want)
		}
	}
	if there > 0 {
		return
	}
	if have, err := Devices(Auto); err != nil || fmt.Sprint(have) != "[cpu]" {
		t.Errorf("auto without a CUDA device: %v, %v", have, err)
	}
	for _, list := range []string{"cuda", "cuda:0", AllCUDA} {
		if _, err := Devices(list); err == nil || !strings.Contains(err.Error(), "finds no CUDA device") {
			t.Errorf("%s without a CUDA device: %v", list, err)
		}
	}
}

func TestMatrixSpeed(t *testing.T) {
	for _, device := range testDevices(t) {
		if speed, err := matrixSpeed(device, FP32, 64, time.Millisecond); err != nil || !(speed > 0) {
			t.Errorf("%s: %v operations/s, %v", device, speed, err)
		}
	}
}

// The convolutions of the thesis' network: 41, of 256 channels but for the input.
func TestFLOPs(t *testing.T) {
	s, err := Spec{Planes: 16, PolicySize: 1968, Depth: 20, Width: 256}.Complete()
	if err != nil {
		t.Fatal(err)
	}
	if have, want := s.FLOPs(), 2.0*9*64*(16*256+40*256*256); have != want {
		t.Errorf("have %v, want %v", have, want)
	}
}
