// Follows games by Fairy-Stockfish's rules: oracle_test.go runs
//
//   node follow.mjs DIRECTORY-OF-THE-NPM-PACKAGE-ffish-es6
//
// and writes requests, a line each, to its standard input:
//
//   game <tab> variant <tab> 1 or 0 for chess960 <tab> FEN <tab> moves, UCI
//   pgn <tab> the game as a JSON string
//   rules <tab> definitions of variants as a JSON string, in the form of its variants.ini
//
// The answer to a game is a line for each position, beginning with the first:
//
//   FEN <tab> 1 or 0 for check <tab> result <tab> legal moves <tab> SAN of the move played next <tab> 1 if
//   it sees insufficient material
//
// The answer to pgn is a line with the moves of the game. An empty line ends an
// answer; a line that begins with ! in place of another says what went wrong.
// SAN is empty after the last move, and before a move that is not legal, with
// which the answer to a game ends.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const directory = process.argv[2]

// The package is an ES module that does not say so, and looks for its binary in
// the ways of a browser: node needs to be handed both.
const factory = new Function(
  readFileSync(join(directory, 'ffish.js'), 'utf8').replace('export default Module;', 'return Module;'),
)()
const ffish = await factory({
  wasmBinary: readFileSync(join(directory, 'ffish.wasm')),
  print: () => {}, // it talks while it reads PGN, and complains of moves,
  printErr: () => {}, // which the answers tell as well
})

function* follow(variant, chess960, fen, moves) {
  const board = new ffish.Board(variant, fen, chess960 === '1')
  const promoted = fen.includes('[') // elsewhere ~ says nothing
  try {
    const path = moves === '' ? [] : moves.split(' ')
    for (let i = 0; ; i++) {
      const legal = board.legalMoves()
      const known = i < path.length && ` ${legal} `.includes(` ${path[i]} `)
      const san = known ? board.sanMove(path[i]) : ''
      const check = board.isCheck() ? '1' : '0'
      yield [board.fen(promoted), check, board.result(true), legal, san, board.isInsufficientMaterial() ? '1' : '0'].join('\t')
      if (!known) return
      board.push(path[i])
    }
  } finally {
    board.delete()
  }
}

function* read(json) {
  const game = ffish.readGamePGN(JSON.parse(json))
  try {
    yield game.mainlineMoves()
  } finally {
    game.delete()
  }
}

function* define(json) {
  ffish.loadVariantConfig(JSON.parse(json))
  yield 'ok'
}

const handlers = { game: follow, pgn: read, rules: define }

for await (const line of createInterface({ input: process.stdin })) {
  const [kind, ...fields] = line.split('\t')
  let answer = ''
  try {
    for (const record of handlers[kind](...fields)) answer += record + '\n'
  } catch (error) {
    answer += `! ${error}\n`
  }
  process.stdout.write(answer + '\n')
}
