package lab

import "context"

func (r *run) halving(ctx context.Context, all []*candidate) error { return nil }
