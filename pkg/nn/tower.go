package nn

import "fmt"

// Tower is a measuring device: the 3x3 convolutions of a network's trunk, with
// prepacked weights and ReLU, and nothing else: neither heads nor residual
// additions, norms or attention. Its speed is what a Session of the same shape could reach if all the
// rest cost nothing. It is for one goroutine.
type Tower struct {
	native nativeTower // nil when closed
	lanes  *lanes      // of its device; nil on the processor
}

// NewTower makes a tower of the spec's planes, depth and width, on the options'
// batch and precision, and the first of their devices.
func NewTower(s Spec, o InferenceOptions) (*Tower, error) {
	s, err := s.Complete()
	if err != nil {
		return nil, err
	}
	if o, err = o.complete(); err != nil {
		return nil, err
	}
	t, err := newTower(s.Planes, s.Width, s.convolutions(), o.devices[0], &o)
	if err != nil {
		return nil, fmt.Errorf("new tower: %w", err)
	}
	tower := &Tower{native: t}
	if device := o.devices[0]; device != CPU || o.generic {
		tower.lanes = lanesFor(device)
	}
	return tower, nil
}

// Run convolves one batch: on the calling thread, or on the device, where a lane asks
// for it as for what sessions ask.
func (t *Tower) Run() error {
	if t.native == nil {
		return errClosed("tower")
	}
	var err error
	if t.lanes == nil {
		err = runTower(t.native)
	} else {
		done := make(chan error)
		t.lanes.do(func(int) { done <- runTower(t.native) })
		err = <-done
	}
	if err != nil {
		return fmt.Errorf("run tower: %w", err)
	}
	return nil
}

// Close frees the tower.
func (t *Tower) Close() {
	if t.native != nil {
		freeTower(t.native)
		t.native = nil
	}
}
