package stats

import "fmt"

// Record counts results from one player's view.
type Record struct {
	Wins   int `json:"wins"`
	Draws  int `json:"draws"`
	Losses int `json:"losses"`
}

func (r Record) Games() int { return r.Wins + r.Draws + r.Losses }

// Score returns the points: 1 for a win and 1/2 for a draw.
func (r Record) Score() float64 { return float64(r.Wins) + float64(r.Draws)/2 }

// Share returns the fraction of points scored. It is NaN without games.
func (r Record) Share() float64 { return r.Score() / float64(r.Games()) }

// Plus returns the record over the games of both.
func (r Record) Plus(o Record) Record {
	return Record{r.Wins + o.Wins, r.Draws + o.Draws, r.Losses + o.Losses}
}

// Reversed returns the record from the opponent's view.
func (r Record) Reversed() Record { return Record{r.Losses, r.Draws, r.Wins} }

// String returns the record as text, such as "+3 =1 -2".
func (r Record) String() string { return fmt.Sprintf("+%d =%d -%d", r.Wins, r.Draws, r.Losses) }

// Percent returns the share of the points as text, "-" without games.
func (r Record) Percent(digits int) string {
	if r.Games() == 0 {
		return "-"
	}
	return fmt.Sprintf("%.*f %%", digits, 100*r.Share())
}
