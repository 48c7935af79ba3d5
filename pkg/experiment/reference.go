package experiment

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"alamos/pkg/config"
)

// Key is a key of the language, for the reference.
type Key struct {
	config.Key
	Published []Published // the values in the papers of [systems]
}

// Published is the value of a key in a paper.
type Published struct {
	System string // one of systems
	Value  string // one line of YAML; several values are separated by " or "
}

// Keys returns every key of the language in schema order, groups before their members. A
// key with several meanings has an entry for each.
func Keys() []Key {
	var keys []Key
	for _, k := range schema().Describe() {
		key := Key{Key: k}
		for i, value := range published[k.Path] {
			if value != "" {
				key.Published = append(key.Published, Published{systems[i], value})
			}
		}
		keys = append(keys, key)
	}
	return keys
}

// defaults are the defaults of each key, one for each of its meanings.
var defaults = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for _, k := range schema().Describe() {
		all[k.Path] = append(all[k.Path], k.DefaultText())
	}
	return all
})

// IsDefault reports whether a value, on one line of YAML, is the default of a key in each of its
// meanings.
func IsDefault(path, value string) bool {
	of := defaults()[path]
	return len(of) > 0 && !slices.ContainsFunc(of, func(text string) bool { return text != value })
}

// FindKey returns the keys at a path. There are several if the meaning depends on another
// key. The members of a section follow it. The [] of lists is optional.
func FindKey(path string) ([]Key, error) {
	path = strings.ReplaceAll(path, "[]", "")
	var found []Key
	var all []string
	for _, k := range Keys() {
		p := strings.ReplaceAll(k.Path, "[]", "")
		if p == path || strings.HasPrefix(p, path+".") {
			found = append(found, k)
		}
		all = append(all, p)
	}
	if len(found) > 0 {
		return found, nil
	}
	hint := config.DidYouMean(path, all)
	if hint == "" {
		hint = schema().SuggestPath(path)
	}
	return nil, errors.New((&config.Error{Msg: "no key is called " + config.Printable(path), Hint: hint}).Advice())
}

//go:embed reference.md
var referenceHead string

// Reference returns the reference of the language in Markdown: the rules of files, then
// every key by section, with the values in the papers.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for i, system := range systems {
		fmt.Fprintf(&b, "%d. %s\n", i+1, system)
	}
	const file = "The file" // the section of keys without members
	sections := []string{file}
	bySection := map[string][]Key{}
	for _, k := range Keys() {
		section, _, nested := strings.Cut(strings.ReplaceAll(k.Path, "[]", ""), ".")
		if members, _ := k.Members(); !nested && members == nil {
			section = file
		}
		if !slices.Contains(sections, section) {
			sections = append(sections, section)
		}
		bySection[section] = append(bySection[section], k)
	}
	for _, section := range sections {
		writeSection(&b, section, bySection[section])
	}
	return b.String()
}

func writeSection(b *strings.Builder, section string, keys []Key) {
	fmt.Fprintf(b, "\n## %s\n\n", section)
	if own := keys[0]; section == own.Path {
		fmt.Fprintf(b, "%s\n\n", own.Doc)
		if own.Default != nil {
			fmt.Fprintf(b, "Default: `%s`\n\n", own.DefaultText())
		}
		keys = keys[1:]
	}
	var papers []string // rows of the table of published values
	b.WriteString("| Key | Value | Default | Meaning |\n|---|---|---|---|\n")
	for _, k := range keys {
		name := "`" + strings.TrimPrefix(k.Path, section+".") + "`"
		writeRow(b, name, valueCell(k), defaultCell(k), meaningCell(k))
		if values, ok := published[k.Path]; ok {
			papers = append(papers, fmt.Sprintf("| %s | %s |\n", name, strings.Join(values[:], " | ")))
		}
	}
	if len(papers) > 0 {
		b.WriteString("\nIn the papers:\n\n| Key | 1 | 2 | 3 | 4 | 5 |\n|---|---|---|---|---|---|\n")
		b.WriteString(strings.Join(slices.Compact(papers), "")) // a key may have several meanings
	}
}

func writeRow(b *strings.Builder, cells ...string) {
	for _, c := range cells {
		b.WriteString("| " + strings.ReplaceAll(c, "|", `\|`) + " ")
	}
	b.WriteString("|\n")
}

func valueCell(k Key) string {
	if k.Unit == "" {
		return k.Want()
	}
	return k.Want() + "; " + k.Unit
}

func defaultCell(k Key) string {
	switch text := k.DefaultText(); {
	case k.Required:
		return "required"
	case k.Inherit != "":
		return "as `" + k.Inherit + "`"
	case k.Default == nil:
		return k.Absent
	case len(text) > 80: // a list that is described below
		return "see `alamos reference --key " + k.Path + "`"
	default:
		return "`" + text + "`"
	}
}

func meaningCell(k Key) string {
	if k.When == nil {
		return k.Doc
	}
	how, what, _ := strings.Cut(k.When.String(), " ")
	return fmt.Sprintf("%s Only %s `%s`.", k.Doc, how, strings.NewReplacer(" other than ", "` other than `", " and with ", "` and with `").Replace(what))
}

// systems are the five systems that the language must express, in the order of the
// reference's columns.
var systems = []string{"OppenheimerZero", "AlphaZero on consumer hardware", "ChessSL", "ChessMarro", "Value network and minimax"}

// published holds the values in the papers of these systems by key. A value is empty if the
// paper does not give it or the system lacks it. Several values are separated by " or ".
var published = map[string][5]string{
	"game.variant":                    {"atomic", "chess", "chess", "chess", "chess"},
	"game.max_moves":                  {"75"},
	"network.input":                   {"atomic16", "alphazero119", "lc0-112", "marro77", "dtu24"},
	"network.policy":                  {"uci1968", "alphazero4672", "lc0-1858", "fromto4096 or marro4096", "none"},
	"network.trunk":                   {"residual", "residual", "residual", "preactivation", "plain"},
	"network.depth":                   {"20", "19 or 20", "20", "6 or 12", "5"},
	"network.width":                   {"256", "", "256", "256", "128"},
	"network.activation":              {"relu", "relu", "relu", "mish", "relu"},
	"network.attention":               {"none", "none", "cbam", "squeeze-excitation", "none"},
	"network.attention_reduction":     {"", "", "", "16"},
	"network.dropout":                 {"", "", "", "", "0.2"},
	"network.value":                   {"tanh", "", "wdl", "tanh", "linear"},
	"network.value_channels":          {"1", "", "", "32", "0"},
	"network.value_hidden":            {"256", "", "[]", "256", "[256, 256, 64]"},
	"network.moves_left":              {"", "", "true"},
	"network.policy_head":             {"conv73-linear", "", "", "conv-linear"},
	"network.policy_channels":         {"", "", "", "32"},
	"network.head_kernel":             {"1x1", "", "", "1x1"},
	"search.kind":                     {"mcts", "mcts", "mcts"},
	"search.visits":                   {"800"},
	"search.c_puct":                   {"2", "", "1.1"},
	"search.c_base":                   {"", "19652"},
	"search.c_init":                   {"", "1.25"},
	"search.expand_at":                {"2", "1"},
	"search.leaves":                   {"", "", "32"},
	"search.tree_reuse":               {"true", "false"},
	"selfplay.games":                  {"250"},
	"selfplay.temperature.power":      {"1", "1"},
	"generations":                     {"30", "", "40", "10"},
	"training.epochs":                 {"10", "", "", "10", "50"},
	"training.batch":                  {"256", "", "512", "32", "128"},
	"training.window":                 {"1"},
	"training.validation":             {"0.2", "", "", "0.2", "0.2"},
	"training.held_out":               {"", "", "", "positions", "positions"},
	"training.select":                 {"lowest-validation-loss", "", "", "last", "last"},
	"training.carry":                  {"", "", "", "weights"},
	"training.patience":               {"", "", "", "6", "5"},
	"training.optimizer.kind":         {"sgd", "", "sgd", "sgd", "adam"},
	"training.optimizer.momentum":     {"0.9", "", "0.9", "0.9"},
	"training.optimizer.weight_decay": {"0.0001", "", "", "0", "0"},
	"training.schedule.kind":          {"plateau", "", "", "step", "constant"},
	"training.schedule.initial":       {"0.05", "", "", "0.005", "0.001"},
	"training.schedule.factor":        {"0.5", "", "", "0.1"},
	"training.schedule.patience":      {"3"},
	"training.schedule.every":         {"", "", "", "3"},
	"training.schedule.unit":          {"", "", "", "epochs"},
	"training.schedule.minimum":       {"0.0001"},
	"training.loss.policy":            {"1", "", "1", "1"},
	"training.loss.value":             {"1", "", "1", "0", "1"},
	"training.loss.moves_left":        {"", "", "0.0005"},
	"network.bare_input":              {"", "", "true"},
	"network.bare_heads":              {"", "", "true"},
	"network.value_linear":            {"", "", "", "", "true"},
	"network.policy_relu":             {"", "", "true"},
	"network.moves_left_relu":         {"", "", "true"},
	"search.nodes":                    {"", "", "7168"},
	"search.fpu":                      {"", "zero"},
	"search.own_visit":                {"false", "true"},
	"selfplay.long_games":             {"discard"},
	"data.positions":                  {"", "", "1", "", "all"},
	"data.chunk":                      {"", "", "all", "200000", "all"},
	"data.label.depth":                {"", "", "", "", "1"},
	"training.loss.policy_mask":       {"", "", "legal", "none"},
	"training.optimizer.decayed":      {"all"},
	"search.q_draws":                  {"", "1"},
	"training.patience_of":            {"", "", "", "best", "rise"},
	"data.label.advance":              {"", "", "", "", "true"},
	"tournament.players[].ends":       {"", "", "", "", "network"},
	"tournament.rounds":               {"20", "", "", "", "20"},
	"tournament.search.visits":        {"800"},
	"tournament.search.c_puct":        {"1"},
	"tournament.temperature.power":    {"4 or max", "max"},
	"tournament.players[].alphabeta":  {"", "", "", "", "last"},
	"tournament.players[].depth":      {"", "", "", "", "1 or 2 or 3"},
	"tournament.players[].level":      {"2 or 3"},
}
