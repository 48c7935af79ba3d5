package web

import (
	"bytes"
	"context"
	"fmt"
	"image/png"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"alamos/pkg/chess"
)

// tab is the page in a browser without a window.
type tab struct {
	*testing.T
	ctx  context.Context
	h    *house
	path string // of the game, for the server
}

// browse opens a browser; it skips the test where there is none.
func browse(t *testing.T, h *house) *tab {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed")
	}
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		t.Skipf("%s does not start here: %v", path, err)
	}
	b := &tab{T: t, ctx: ctx, h: h}
	b.check(chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			t.Errorf("the page throws: %s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception)
		case *log.EventEntryAdded: // such as what the policy forbids
			if !strings.Contains(e.Entry.Text, "Failed to load resource") { // refused requests are tested
				t.Errorf("the browser complains: %s", e.Entry.Text)
			}
		}
	}))
	call(b, log.Enable, cdp.Empty{})
	b.size(1280, 860)
	return b
}

func (b *tab) check(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func call[P, R any](b *tab, c cdp.Command[P, R], p P) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, c, p)
	b.check(err)
}

func (b *tab) size(width, height int64) {
	b.Helper()
	b.check(chromedp.Do(b.ctx, chromedp.EmulateViewport(width, height)))
}

// eval gives the value of an expression of the page's.
func eval[T any](b *tab, expression string, args ...any) T {
	b.Helper()
	v, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](fmt.Sprintf(expression, args...)))
	if err != nil {
		b.Fatalf(expression+": %v", append(args, err)...)
	}
	return v
}

// wait waits until an expression is true.
func (b *tab) wait(expression string, args ...any) {
	b.Helper()
	for end := time.Now().Add(20 * time.Second); !eval[bool](b, expression, args...); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			status := eval[string](b, `document.querySelector("#status").textContent + " | " + document.querySelector("#fen").textContent + " | " + document.querySelector("#banner").textContent + " | " + document.querySelector("#moves").textContent`)
			b.Fatalf("not so: "+expression+"; the page says: %s", append(args, status)...)
		}
	}
}

// game begins a game and shows it.
func (b *tab) game(body string) {
	b.Helper()
	b.path = b.h.begin(body)
	id := strings.TrimPrefix(b.path, "/api/games/")
	b.check(chromedp.Do(b.ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(b.h.url+"/#"+id)))
	b.wait(`document.querySelector(".piece") !== null && document.querySelector("#fen").textContent !== ""`)
}

// middle is where the middle of an element is, once it is in view.
func (b *tab) middle(selector string) (x, y float64) {
	b.Helper()
	v := eval[[]float64](b, `(() => { const e = document.querySelector(%q); e.scrollIntoView({ block: "nearest" }); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2] })()`, selector)
	return v[0], v[1]
}

func square(name string) string { return fmt.Sprintf("[data-square=%s]", name) }

// press clicks on what a selector finds, with the mouse.
func (b *tab) press(selector string) {
	b.Helper()
	b.wait(`document.querySelector(%q) !== null && !document.querySelector(%q).disabled`, selector, selector)
	x, y := b.middle(selector)
	b.check(chromedp.Do(b.ctx, chromedp.MouseClickXY(x, y)))
}

// bright returns the share of the pixels of an element that have the color of a white piece.
func (b *tab) bright(selector string) float64 {
	b.Helper()
	shot, err := chromedp.Run(b.ctx, chromedp.Screenshot(selector))
	b.check(err)
	picture, err := png.Decode(bytes.NewReader(shot))
	b.check(err)
	bright, all := 0, 0
	for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			red, green, blue, _ := picture.At(x, y).RGBA()
			if all++; min(red, green, blue) >= 0xf800 {
				bright++
			}
		}
	}
	return float64(bright) / float64(all)
}

// drag drags from one place to another.
func (b *tab) drag(from, to string) {
	b.Helper()
	x, y := b.middle(from)
	u, v := b.middle(to)
	b.check(chromedp.Do(b.ctx, chromedp.DragAndDropXY(x, y, u, v)))
}

// click plays a move by two clicks, and waits until it has been played.
func (b *tab) click(from, to, san string) {
	b.Helper()
	b.wait(`document.querySelector("%s.movable") !== null`, square(from))
	b.press(square(from))
	b.wait(`document.querySelector("%s.target") !== null`, square(to))
	b.press(square(to))
	b.played(san)
}

func (b *tab) played(san string) {
	b.Helper()
	b.wait(`[...document.querySelectorAll("#moves button")].at(-1)?.firstChild.textContent === %q`, san)
}

// fen waits until the page shows a position, on the board too.
func (b *tab) fen(want string) {
	b.Helper()
	b.wait(`document.querySelector("#fen").textContent === %q`, want)
	board, _, _ := strings.Cut(strings.NewReplacer("[", " ", "~", "").Replace(want), " ")
	count := 0
	for _, c := range board {
		if unicode.IsLetter(c) {
			count++
		}
	}
	b.wait(`document.querySelectorAll(".pieces .piece:not(.vanishing, .shattering)").length === %d`, count)
}

func TestBrowser(t *testing.T) {
	h := open(t, PlayConfig{Pace: 40 * time.Millisecond})
	b := browse(t, h)
	run := func(name string, f func(b *tab)) {
		t.Run(name, func(t *testing.T) {
			own, of := *b, *h
			own.T, of.T = t, t
			own.h = &of
			f(&own)
		})
	}
	downloads := t.TempDir()
	if _, err := chromedp.CallBrowser(b.ctx, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, DownloadPath: downloads,
	}); err != nil {
		t.Fatal(err)
	}

	run("a square in focus shows its piece", func(b *tab) {
		b.game(`{"variant": "chess", ` + people + `}`)
		seen := b.bright(square("g1"))
		if seen < 0.05 {
			b.Fatalf("%.3f of g1 has the color of a white piece", seen)
		}
		b.press(square("g1"))
		b.wait(`document.activeElement.dataset.square === "g1" && document.querySelector("%s.picked") !== null`, square("g1"))
		if now := b.bright(square("g1")); now < seen/2 {
			b.Errorf("%.3f of g1 has the color of a white piece, %.3f in focus", seen, now)
		}
	})

	run("a whole atomic game", func(b *tab) {
		b.game(`{"variant": "atomic", ` + people + `}`)
		b.click("g1", "f3", "Nf3")
		b.click("a7", "a6", "a6")
		b.click("f3", "g5", "Ng5")
		b.click("a6", "a5", "a5")
		eval[bool](b, `new MutationObserver((all) => { if (all.some((m) => [...m.addedNodes].some((n) => n.className === "blast"))) document.body.dataset.blast = "yes" }).observe(document.querySelector("#board"), { childList: true }) ?? true`)
		b.click("g5", "f7", "Nxf7#")
		b.wait(`document.querySelector("#status").textContent === "1–0 White wins: Black’s king has exploded."`)
		b.fen("rnbq3r/1pppp1pp/8/p7/8/8/PPPPPPPP/RNBQKB1R b KQ - 0 3")
		b.wait(`document.body.dataset.blast === "yes"`)
		if n := eval[int](b, `document.querySelectorAll(".movable").length`); n != 0 {
			b.Errorf("%d pieces move when the game is over", n)
		}
		b.press("#pgn")
		var found []string
		for end := time.Now().Add(20 * time.Second); len(found) == 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				b.Fatal("nothing was downloaded")
			}
			found, _ = filepath.Glob(filepath.Join(downloads, "alamos-atomic-*.pgn"))
		}
		text, err := os.ReadFile(found[0])
		b.check(err)
		f := readPGN(b.T, string(text))
		if f.Variant != chess.Atomic || f.Result != chess.WhiteWins || len(f.Moves) != 5 || f.Game().Position().King(chess.Black) != chess.NoSquare {
			b.Errorf("downloaded:\n%s", text)
		}
		// A click on the list looks back, and the game can go on from there.
		b.press(`[data-ply="3"]`)
		b.fen("rnbqkbnr/1ppppppp/p7/6N1/8/8/PPPPPPPP/RNBQKB1R b KQkq - 1 2")
		b.wait(`document.querySelector("#back").textContent === "Play from here"`)
		b.press("#back")
		b.wait(`document.querySelectorAll("#moves button").length === 3`)
		b.click("f7", "f6", "f6")
	})

	run("mate, by dragging", func(b *tab) {
		b.game(`{"variant": "chess", ` + people + `}`)
		for _, m := range [][3]string{{"f2", "f3", "f3"}, {"e7", "e5", "e5"}, {"g2", "g4", "g4"}, {"d8", "h4", "Qh4#"}} {
			b.wait(`document.querySelector("%s.movable") !== null`, square(m[0]))
			b.drag(square(m[0]), square("d5")) // where it cannot go: it goes back
			b.drag(square(m[0]), square(m[1]))
			b.played(m[2])
		}
		b.wait(`document.querySelector("#status").textContent === "0–1 Black wins by checkmate."`)
		b.wait(`document.querySelector("%s.check") !== null && document.querySelector("%s.last") !== null`, square("e1"), square("h4"))
		b.press("#back")
		b.wait(`document.querySelector("#status").textContent === "Black to move"`)
	})

	run("promotion", func(b *tab) {
		b.game(`{"variant": "chess", "fen": "3n3k/2P5/8/8/8/8/8/K7 w - - 0 1", ` + people + `}`)
		b.press(square("c7"))
		b.press(square("c8"))
		b.wait(`document.querySelectorAll(".chooser button").length === 4`)
		b.check(chromedp.Do(b.ctx, chromedp.KeyEvent("\x1b"))) // Escape: not so
		b.wait(`document.querySelector(".chooser") === null`)
		b.drag(square("c7"), square("d8"))
		b.press(".chooser [data-promotion=N]")
		b.played("cxd8=N")
		b.fen("3N3k/8/8/8/8/8/8/K7 b - - 0 1")
		b.wait(`document.querySelector("#status").textContent.startsWith("½–½ Draw")`)
	})

	run("drops", func(b *tab) {
		b.game(`{"variant": "crazyhouse", "fen": "4k3/8/8/8/8/8/8/4K3[QNNp] w - - 0 1", ` + people + `}`)
		b.press("#bottom [data-drop=N]")
		b.wait(`document.querySelectorAll(".square.target").length === 62`)
		b.press(square("f6"))
		b.played("N@f6+")
		b.wait(`document.querySelector("%s.check") !== null`, square("e8"))
		b.click("e8", "e7", "Ke7")
		b.drag("#bottom [data-drop=Q]", square("e4"))
		b.played("Q@e4+")
		b.fen("8/4k3/5N2/8/4Q3/8/8/4K3[Np] b - - 3 2")
		b.wait(`document.querySelector("#bottom [data-drop=Q]").disabled`)
	})

	run("castling", func(b *tab) {
		b.game(`{"variant": "chess", "fen": "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", ` + people + `}`)
		b.click("e1", "g1", "O-O")
		b.click("e8", "a8", "O-O-O") // the king takes its rook
		b.fen("2kr3r/8/8/8/8/8/8/R4RK1 w - - 2 2")
		b.game(`{"variant": "chess", "fen": "4k3/8/8/8/8/8/8/1R3KR1 w GB - 0 1", ` + people + `}`)
		b.click("f1", "g1", "O-O") // the king's own target is where it also walks
		b.fen("4k3/8/8/8/8/8/8/1R3RK1 b - - 1 1")
	})

	run("keyboard", func(b *tab) {
		b.game(`{"variant": "chess", ` + people + `}`)
		eval[bool](b, `document.querySelector("[data-square=e2]").focus() ?? true`)
		up := kb.ArrowUp
		b.check(chromedp.Do(b.ctx, chromedp.KeyEvent("\r"), chromedp.KeyEvent(up), chromedp.KeyEvent(up), chromedp.KeyEvent("\r")))
		b.played("e4")
		b.check(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#typed"), "Nc6\r")))
		b.played("Nc6")
		b.check(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#typed"), "Ke3\r")))
		b.wait(`document.querySelector("#banner").textContent.includes("Ke3")`)
		if label := eval[string](b, `document.querySelector("[data-square=c6]").getAttribute("aria-label")`); label != "c6, black knight" {
			b.Error(label)
		}
	})

	run("a warning goes with the next move", func(b *tab) {
		b.game(`{"variant": "chess", ` + people + `}`)
		b.check(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#typed"), "Ke3\r")))
		b.wait(`document.querySelector("#banner").textContent === 'The move "Ke3" is not legal here.'`)
		b.click("e2", "e4", "e4")
		b.wait(`document.querySelector("#banner").hidden`)
	})

	run("a game of a file, step by step, and its review", func(b *tab) {
		b.press("#load")
		b.check(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#pgntext"), "1. e4 e5 2. Ke3 *")))
		b.wait(`document.querySelector("#openerror").textContent.startsWith("Line 1, game 1, move 2.") && document.querySelector("#opengame").disabled`)
		eval[bool](b, `(() => { const text = document.querySelector("#pgntext"); text.value = %q; return text.dispatchEvent(new Event("input")) })()`, strings.ReplaceAll(threeGames, "Ke3", "Ke2"))
		b.wait(`document.querySelectorAll("#games option").length === 3`)
		if first := eval[string](b, `document.querySelector("#games option").textContent`); first != "1. Ann – Bob: 0–1, 2 moves" {
			b.Error(first)
		}
		b.press("#opengame")
		b.wait(`!document.querySelector("#open").open && document.querySelector("#status").textContent === "The start position"`)
		b.wait(`document.querySelector("#bottom b").textContent === "Ann" && document.querySelector("#top b").textContent === "Bob"`)
		b.wait(`document.querySelector("#moves [data-ply='3']").textContent === "g4?? −#1" && document.querySelector("#moves [data-ply='1'] small").textContent === " 44 %%"`)
		b.wait(`document.querySelector(".values polyline").getAttribute("points").split(" ").length === 3`)
		eval[bool](b, `document.activeElement.blur() ?? true`)
		b.check(chromedp.Do(b.ctx, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowLeft)))
		b.wait(`document.querySelector("#status").textContent === "After 1. f3"`)
		b.press("#blunders button")
		b.wait(`document.querySelector("#status").textContent === "After 2. g4"`)
		eval[bool](b, `(() => { document.querySelector("#analyst").value = "material"; return true })()`)
		b.press("#review")
		b.wait(`document.querySelector("#review").textContent === "Review the game" && document.querySelector("#effort").textContent.includes("material") && document.querySelector("#moves [data-ply='2'] small").textContent === " 50 %%"`)
		b.press("#back")
		b.wait(`document.querySelector("#setup").open`)
		eval[bool](b, `(() => { const who = document.querySelector("#black .who"); who.value = "random"; return who.dispatchEvent(new Event("change")) })()`)
		b.press("#begin")
		b.wait(`document.querySelectorAll("#moves button").length === 4 && document.querySelector("#bottom b").textContent === "White"`)
	})

	run("clocks", func(b *tab) {
		b.press("#new")
		b.press("#timed")
		eval[bool](b, `(() => { for (const side of ["white", "black"]) { const who = document.querySelector("#" + side + " .who"); who.value = "human"; who.dispatchEvent(new Event("change")) } return true })()`)
		b.press("#begin")
		b.wait(`!document.querySelector("#setup").open && [...document.querySelectorAll("time.clock")].map((c) => c.textContent).join() === "5:00,5:00"`)
		b.click("e2", "e4", "e4")
		b.click("e7", "e5", "e5")
		b.wait(`document.querySelector("#bottom time.running")?.textContent.startsWith("4:5") && document.querySelector("#top time").textContent === "5:00"`)
	})

	run("a new game, against an engine", func(b *tab) {
		b.press("#new")
		b.press("[name=variant][value=antichess] + b")
		b.press("[name=start][value=fen]")
		b.check(chromedp.Do(b.ctx, chromedp.SendKeys(chromedp.CSS("#startfen"), "nonsense")))
		eval[bool](b, `(() => { const who = document.querySelector("#white .who"); who.value = "random"; return who.dispatchEvent(new Event("change")) })()`)
		b.press("#begin")
		b.wait(`document.querySelector("#setuperror").textContent.includes("nonsense")`)
		b.press("[name=start][value=usual]")
		b.press("#begin")
		b.wait(`!document.querySelector("#setup").open && document.querySelector("#title").textContent === "Antichess"`)
		b.wait(`document.querySelectorAll("#moves button").length === 1 && document.querySelector("#status").textContent === "Your move"`)
		if file := eval[string](b, `document.querySelector(".square").dataset.square`); file != "h1" {
			b.Errorf("%s is at the upper left of Black's board", file)
		}
		eval[bool](b, `document.querySelector(".movable").focus() ?? true`)
		b.press(".movable")
		b.press(".target")
		b.wait(`document.querySelectorAll("#moves button").length >= 3 || document.querySelector("#status").classList.contains("over")`)
	})

	run("two engines, and what they think", func(b *tab) {
		// Kings and pawns: no mate ends the game before the test pauses it.
		b.game(`{"variant": "chess", "fen": "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1", "white": "uniform,visits=3000", "black": "material,depth=2"}`)
		b.wait(`document.querySelectorAll("#moves button").length > 4`)
		b.press("#pause")
		b.wait(`document.querySelector("#pause").textContent === "Continue"`)
		b.press(`[data-ply="1"]`)
		b.press("#previous")
		b.wait(`document.querySelectorAll("#candidates tbody tr").length === 6 && document.querySelectorAll(".arrows g").length === 6`)
		b.press("#arrows")
		b.wait(`document.querySelectorAll(".arrows g").length === 0`)
		b.press("#arrows")
		b.press("#flip")
		b.wait(`document.querySelector(".square").dataset.square === "h1"`)
		b.press("#analyze")
		b.wait(`document.querySelector("#score").textContent !== "" && document.querySelector("#effort").textContent.includes("alpha-beta")`)
	})

	run("every width", func(b *tab) {
		b.game(`{"variant": "crazyhouse", "white": "human", "black": "uniform,visits=100,movetime=1000,temperature=1"}`)
		for _, width := range []int64{320, 390, 700, 900, 1280, 2000} {
			b.size(width, 800)
			b.wait(`innerWidth === %d`, width)
			if wide := eval[int64](b, `document.documentElement.scrollWidth`); wide > width {
				b.Errorf("%d wide in a window of %d", wide, width)
			}
			if side := eval[float64](b, `document.querySelector("#board").getBoundingClientRect().width`); side < 240 {
				b.Errorf("the board is %g wide in a window of %d", side, width)
			}
		}
		b.size(1280, 860)
	})

	run("without movement", func(b *tab) {
		call(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}}})
		b.game(`{"variant": "atomic", "fen": "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", ` + people + `}`)
		b.click("e4", "d5", "exd5")
		b.fen("4k3/8/8/8/8/8/8/4K3 b - - 0 1")
		if n := eval[int](b, `document.querySelectorAll(".sliding").length`); n != 0 {
			b.Errorf("%d pieces slide", n)
		}
	})

	run("a game that is gone", func(b *tab) {
		b.check(chromedp.Do(b.ctx, chromedp.Navigate("about:blank"), chromedp.Navigate(h.url+"/#NOSUCHGAME")))
		b.wait(`document.querySelector("#setup").open && document.querySelector("#banner").textContent.includes("there is no game")`)
	})
}

// A game by rules of a file: five files, six ranks, a hole, a piece that chess does not have, drops,
// and pawns that need not promote.
func TestBrowserOtherRules(t *testing.T) {
	rules := chess.RulesOf(chess.Standard)
	rules.Name, rules.Files, rules.Ranks = "little", 5, 6
	rules.Start = "k1a2/4P/1*3/5/5/K4[A] w - - 0 1"
	rules.Pieces = append(rules.Pieces, chess.Piece{Name: "amazon", Letter: "a", Moves: "QN", Region: "all"})
	rules.Castling, rules.DoubleStep, rules.EnPassant, rules.PromoteOn, rules.PawnDrops = false, []int{}, []int{}, []int{6}, []int{2, 3}
	rules.Promotion, rules.MayPromote, rules.Hand = "a", true, "captures"
	v, err := chess.Define(rules)
	if err != nil {
		t.Fatal(err)
	}
	h := open(t, PlayConfig{Pace: 40 * time.Millisecond, Variant: &v})
	if status, answer := h.ask("/api/games", `{"variant": "huge", `+people+`}`); status != 400 || !strings.Contains(answer["error"], `variant "huge"`) {
		t.Errorf("%d %v", status, answer)
	}
	b := browse(t, h)
	b.game(`{"variant": "little", ` + people + `}`)
	b.wait(`document.querySelector("#title").textContent === "little" && document.querySelector("#goal").textContent === "5×6, rules of a file"`)
	if box := eval[[]float64](b, `(() => { const r = document.querySelector("#board").getBoundingClientRect(); return [r.width, r.height] })()`); math.Abs(6*box[0]-5*box[1]) > 1 {
		t.Errorf("the board is %v wide and high", box)
	}
	if n := eval[int](b, `document.querySelectorAll(".square").length`); n != 30 {
		t.Errorf("%d squares", n)
	}
	if shown := eval[bool](b, `document.querySelector("[data-square=b4]").checkVisibility({ visibilityProperty: true })`); shown {
		t.Error("the hole is a square")
	}
	if label := eval[string](b, `document.querySelector("[data-square=c6]").ariaLabel`); !strings.Contains(label, "black amazon") {
		t.Errorf("c6 is %q", label)
	}
	if n := eval[int](b, `document.querySelectorAll(".piece use[href='#amazon']").length`); n != 3 { // two in the hands
		t.Errorf("%d amazons", n)
	}
	b.press("#bottom [data-drop=A]")
	b.press(square("c5"))
	b.played("A@c5+")
	b.fen("k1a2/2A1P/1*3/5/5/K4[] b - - 1 1")
	b.drag(square("c6"), square("c5"))
	b.played("Axc5")
	b.press(square("e5"))
	b.press(square("e6"))
	b.wait(`document.querySelectorAll(".chooser button").length === 2`)
	b.press(".chooser [data-promotion=A]")
	b.played("e6=A+")
	b.wait(`document.querySelector("%s.check") !== null`, square("a6"))
	b.press("#flip")
	b.wait(`document.querySelector(".square").dataset.square === "e1"`)
	if wide, high := b.middle(square("a6")); wide < 10 || high < 10 {
		t.Error(wide, high)
	}
}
