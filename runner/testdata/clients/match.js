// A game between two engines that node-uci runs: node match.js WHITE BLACK PLIES.
// It prints the moves and then how each engine calls itself.
const { Engine } = require('node-uci')

async function main([white, black, plies]) {
  const engines = []
  for (const path of [white, black]) {
    const e = new Engine(path)
    await e.init()
    await e.isready()
    engines.push(e)
  }
  await engines[0].setoption('MultiPV', '2')
  const moves = []
  while (moves.length < Number(plies)) {
    const e = engines[moves.length % 2]
    await e.position('startpos', moves)
    const { bestmove } = await e.go({ nodes: 300 })
    if (!/^[a-h]/.test(bestmove)) break // mate or stalemate
    moves.push(bestmove)
  }
  await engines[0].position('startpos', [])
  const infinite = engines[0].goInfinite({})
  await new Promise(done => infinite.once('data', done))
  await engines[0].stop()
  console.log(moves.join(' '))
  console.log(engines.map(e => e.id.name).join('\n'))
  for (const e of engines) await e.quit()
}

main(process.argv.slice(2)).catch(err => { console.error(err); process.exit(1) })
