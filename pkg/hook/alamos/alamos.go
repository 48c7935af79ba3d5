package alamos

// Metrics are numbers by name: lowercase letters, digits and underscores,
// beginning with a letter. Each becomes a column of the hook's CSV file. NaN
// stands for a metric that there is not, such as a mean over no games; its cell
// stays empty.
type Metrics map[string]float64
