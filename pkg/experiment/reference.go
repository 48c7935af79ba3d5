package experiment

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"alamos/pkg/config"
)

// Key describes one key of the language, for the reference.
type Key struct {
	config.Key
	Published []Published // the values in the papers of [Systems]
}

// Keys returns every key of the language in schema order, groups before their members. A
// key with several conditions has an entry for each.
func Keys() []Key {
	var keys []Key
	for _, k := range schema().Describe() {
		keys = append(keys, Key{k, publishedOf(k.Path)})
	}
	return keys
}

// FindKey returns the keys at a path. There are several if the meaning depends on another
// key. The members of a section follow it. The [] of lists is optional.
func FindKey(path string) ([]Key, error) {
	plain := func(p string) string { return strings.ReplaceAll(p, "[]", "") }
	var found []Key
	var all []string
	for _, k := range Keys() {
		if p := plain(k.Path); p == plain(path) || strings.HasPrefix(p, plain(path)+".") {
			found = append(found, k)
		}
		all = append(all, plain(k.Path))
	}
	if len(found) > 0 {
		return found, nil
	}
	hint := config.DidYouMean(plain(path), all)
	if hint == "" {
		hint = schema().SuggestPath(plain(path))
	}
	if hint != "" {
		hint = " (" + hint + ")"
	}
	return nil, fmt.Errorf("no key is called %s%s", config.Printable(path), hint)
}

//go:embed reference.md
var referenceHead string

// Reference returns the reference of the language in Markdown: the rules of files, then
// every key by section, with the values in the papers.
func Reference() string {
	var b strings.Builder
	b.WriteString(referenceHead)
	for i, system := range Systems {
		fmt.Fprintf(&b, "%d. %s\n", i+1, system)
	}
	keys := Keys()
	sections := []string{"The file"}
	bySection := map[string][]Key{}
	for _, k := range keys {
		section := sectionOf(k)
		if !slices.Contains(sections, section) {
			sections = append(sections, section)
		}
		bySection[section] = append(bySection[section], k)
	}
	for _, section := range sections {
		of := bySection[section]
		fmt.Fprintf(&b, "\n## %s\n\n", section)
		if section == of[0].Path { // the section's own entry
			fmt.Fprintf(&b, "%s\n\n", of[0].Doc)
			if !of[0].Group {
				writeFacts(&b, of[0])
			}
			of = of[1:]
		}
		b.WriteString("| Key | Value | Default | Meaning |\n|---|---|---|---|\n")
		for _, k := range of {
			writeKey(&b, strings.TrimPrefix(k.Path, section+"."), k)
		}
		writePublished(&b, section, of)
	}
	return b.String()
}

// sectionOf returns the section of a key in the reference. Single keys of the file share a
// section.
func sectionOf(k Key) string {
	section, _, nested := strings.Cut(strings.ReplaceAll(k.Path, "[]", ""), ".")
	if !nested && !k.Group && !k.Listed {
		return "The file"
	}
	return section
}

func writeFacts(b *strings.Builder, k Key) {
	if k.Default != "" {
		fmt.Fprintf(b, "Default: %s\n\n", code(k.Default))
	}
}

func writeKey(b *strings.Builder, name string, k Key) {
	meaning := k.Doc
	if k.When != "" {
		meaning += " Only " + codeWhen(k.When) + "."
	}
	value := k.Type
	if k.Unit != "" {
		value += "; " + k.Unit
	}
	def := code(k.Default)
	switch {
	case k.Required:
		def = "required"
	case k.Default == "" || strings.HasPrefix(k.Default, "the ") || strings.HasPrefix(k.Default, "every ") || k.Default == "all":
		def = k.Default
	case strings.HasPrefix(k.Default, "as "):
		def = "as " + code(strings.TrimPrefix(k.Default, "as "))
	}
	if len(k.Default) > 80 { // the lists of players and cells, which are described below
		def = "see `alamos reference --key " + k.Path + "`"
	}
	fmt.Fprintf(b, "| %s | %s | %s | %s |\n", code(name), cell(value), cell(def), cell(meaning))
}

// writePublished writes the papers' values for the keys of a section.
func writePublished(b *strings.Builder, section string, keys []Key) {
	started := false
	seen := map[string]bool{}
	for _, k := range keys {
		if len(k.Published) == 0 || seen[k.Path] {
			continue
		}
		seen[k.Path] = true
		if !started {
			b.WriteString("\nIn the papers:\n\n| Key |")
			for i := range Systems {
				fmt.Fprintf(b, " %d |", i+1)
			}
			b.WriteString("\n|---|" + strings.Repeat("---|", len(Systems)) + "\n")
			started = true
		}
		fmt.Fprintf(b, "| %s |", code(strings.TrimPrefix(k.Path, section+".")))
		for _, system := range Systems {
			value := ""
			for _, p := range k.Published {
				if p.System == system {
					value = p.Value
				}
			}
			fmt.Fprintf(b, " %s |", value)
		}
		b.WriteString("\n")
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

// codeWhen marks the code in a condition: "with `kind: step`".
func codeWhen(when string) string {
	how, what, _ := strings.Cut(when, " ")
	if key, value, ok := strings.Cut(what, " other than "); ok {
		return how + " " + code(key) + " other than " + code(value)
	}
	return how + " " + code(what)
}

// cell escapes the separator of table cells.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }

// Systems are the five systems that the language must express, in the order of the
// reference's columns.
var Systems = []string{"OppenheimerZero", "AlphaZero on consumer hardware", "ChessSL", "ChessMarro", "Value network and minimax"}

// published holds the values in the papers of these systems by key. A value is empty if the
// paper does not give it or the system lacks it. Several values are separated by " or ".
var published = map[string][5]string{
	"game.variant":                    {"atomic", "chess", "chess", "chess", "chess"},
	"game.max_moves":                  {"150"},
	"network.input":                   {"atomic16", "alphazero119", "lc0-112", "marro77", "dtu24"},
	"network.policy":                  {"uci1968", "alphazero4672", "lc0-1858", "fromto4096 or marro4096", "none"},
	"network.trunk":                   {"residual", "residual", "residual", "preactivation", "plain"},
	"network.depth":                   {"20", "20", "20", "6 or 12", "5"},
	"network.width":                   {"256", "256", "256", "256", "128"},
	"network.activation":              {"relu", "relu", "relu", "mish", "relu"},
	"network.attention":               {"none", "none", "cbam", "squeeze-excitation", "none"},
	"network.attention_reduction":     {"", "", "", "16"},
	"network.dropout":                 {"", "", "", "", "0.2"},
	"network.value":                   {"tanh", "tanh", "wdl", "tanh", "linear"},
	"network.value_channels":          {"1", "", "", "32", "0"},
	"network.value_hidden":            {"256", "", "", "256", "[256, 256, 64]"},
	"network.moves_left":              {"", "", "true"},
	"network.policy_head":             {"conv73-linear", "conv73", "", "conv-linear"},
	"network.policy_channels":         {"", "", "", "32"},
	"search.kind":                     {"mcts", "mcts", "mcts"},
	"search.visits":                   {"800", "400", "7168"},
	"search.c_puct":                   {"2", "", "1.1"},
	"search.c_base":                   {"", "19652"},
	"search.c_init":                   {"", "1.25"},
	"search.expand_at":                {"2"},
	"search.leaves":                   {"", "", "32"},
	"search.tree_reuse":               {"true"},
	"selfplay.games":                  {"250"},
	"selfplay.temperature.power":      {"1", "1 or max"},
	"generations":                     {"30"},
	"training.epochs":                 {"10", "", "40", "10", "50"},
	"training.batch":                  {"256", "", "512", "32", "128"},
	"training.window":                 {"1"},
	"training.validation":             {"0.2", "", "", "", "0.2"},
	"training.select":                 {"lowest-validation-loss"},
	"training.carry":                  {"all", "", "", "weights"},
	"training.patience":               {"", "", "", "5", "5"},
	"training.optimizer.kind":         {"sgd", "sgd", "sgd", "sgd", "adam"},
	"training.optimizer.momentum":     {"0.9", "", "0.9", "0.9"},
	"training.optimizer.weight_decay": {"0.0001"},
	"training.schedule.kind":          {"plateau", "", "", "step", "constant"},
	"training.schedule.initial":       {"0.05", "", "", "0.005", "0.001"},
	"training.schedule.factor":        {"0.5", "", "", "0.1"},
	"training.schedule.patience":      {"3"},
	"training.schedule.every":         {"", "", "", "3"},
	"training.schedule.minimum":       {"0.0001"},
	"training.loss.policy":            {"1", "1", "1", "1"},
	"training.loss.value":             {"1", "1", "1", "", "1"},
	"training.loss.moves_left":        {"", "", "0.0005"},
	"tournament.rounds":               {"20", "", "", "", "20"},
	"tournament.search.visits":        {"800"},
	"tournament.search.c_puct":        {"1"},
	"tournament.temperature.power":    {"4"},
	"tournament.players[].alphabeta":  {"", "", "", "", "last"},
	"tournament.players[].depth":      {"", "", "", "", "1 or 2 or 3"},
	"tournament.players[].level":      {"2 or 3"},
}

// Published is the value of a key in a paper.
type Published struct {
	System string // one of Systems
	Value  string // one line of YAML; several values are separated by " or "
}

// publishedOf returns the papers' values for a key in the order of Systems, or nil if there
// are none.
func publishedOf(path string) []Published {
	var all []Published
	for i, value := range published[path] {
		if value != "" {
			all = append(all, Published{Systems[i], value})
		}
	}
	return all
}
