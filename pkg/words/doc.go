// Package words writes numbers as people read them in a sentence. It formats no
// tables and knows no units.
package words
