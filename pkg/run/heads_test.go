package run

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"alamos/pkg/data"
)

// Networks with other heads play, learn and meet others, and their files have the numbers
// of these heads.
func TestOtherHeadsAreTrained(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		network, training string
		meta              data.Meta
		losses            string // that the network has besides those of policy and value
	}{
		"value alone": {
			"policy: none, trunk: plain, depth: 2, width: 8, value: linear, value_channels: 0, value_hidden: [16, 8]",
			"optimizer: {kind: adam, weight_decay: 0}",
			data.Meta{Policy: "none"}, "",
		},
		"Leela's": {
			"input: alphazero119, policy: alphazero4672, policy_head: conv73, depth: 1, width: 8, value: wdl, value_channels: 4, moves_left: true",
			"optimizer: {kind: adamw}, loss: {moves_left: 0.1}",
			data.Meta{Policy: "alphazero4672"}, "moves_left",
		},
		"shared weights": {
			"input: mover15, policy: uci1968-mover, policy_head: attention, policy_channels: 4, depth: 1, width: 8, value_pooling: true, value_channels: 4, soft_policy: true",
			"average: {every: 100}",
			data.Meta{Policy: "uci1968-mover"}, "soft_policy",
		},
		"auxiliary": {
			"policy_head: conv-linear, depth: 1, width: 8, opponent_policy: true, soft_policy: true, future_board: 4",
			"mirror: true, average: {every: 100}, loss: {soft_policy: 2}",
			data.Meta{Policy: "uci1968", Future: 4}, "opponent_policy soft_policy future_board",
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := site{t.TempDir()}
			text := `alamos: 1
name: small
game: {variant: atomic, max_moves: 60}
network: {` + c.network + `}
search: {visits: 4, noise: {weight: 0.25}}
selfplay: {games: 6, opening: {random_plies: 2}}
generations: 2
training: {epochs: 3, batch: 32, validation: 0.3, patience: 2, schedule: {kind: constant, initial: 0.001}, ` + c.training + `}
tournament: {rounds: 2, max_moves: 20, players: [last, untrained, random, {alphabeta: last, depth: 1}]}
notebook: [figure: {kind: loss-heads}, table: generations]
`
			if err := os.WriteFile(s.file(), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			s.run(t)
			set, err := data.Read(filepath.Join(s.trial(t), "samples", "gen-0002.parquet"))
			if err != nil {
				t.Fatal(err)
			}
			if m := set.Meta(); m.Policy != c.meta.Policy || m.Future != c.meta.Future {
				t.Errorf("samples of %+v, want %+v", m, c.meta)
			}
			rows := readCSV(t, filepath.Join(s.trial(t), "epochs.csv"))
			for _, name := range []string{"moves_left", "opponent_policy", "soft_policy", "future_board"} {
				for _, of := range []string{"train_", "validation_"} {
					if at := slices.Index(rows[0], of+name+"_loss"); at < 0 || (rows[1][at] != "") != strings.Contains(c.losses, name) {
						t.Errorf("epochs.csv: %v", rows[:2])
					}
				}
			}
		})
	}
}
