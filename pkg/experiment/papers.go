package experiment

// Systems are the five systems that the language is made to express, in the
// order of the columns of the reference.
var Systems = []string{"OppenheimerZero", "AlphaZero on consumer hardware", "ChessSL", "ChessMarro", "Value network and minimax"}

// published are the values that the papers of these systems give, by key; empty
// where a paper is silent or has no such thing. Several values are separated by " or ".
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

// Published is what a paper says of a key.
type Published struct {
	System string // one of Systems
	Value  string // one line of YAML; several values are separated by " or "
}

// publishedOf returns what the papers say of a key, in the order of Systems; nil
// where none says anything.
func publishedOf(path string) []Published {
	var all []Published
	for i, value := range published[path] {
		if value != "" {
			all = append(all, Published{Systems[i], value})
		}
	}
	return all
}
