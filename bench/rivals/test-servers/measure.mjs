/** Measures one server in this fresh process: `measure.mjs NAME RESETS`. Prints milliseconds as JSON. */
import { servers } from './servers.mjs'

const [name, resets] = process.argv.slice(2)
const server = servers[name]

async function timed(work) {
  const [cpu, from] = [process.cpuUsage(), performance.now()]
  const result = await work()
  const wall = performance.now() - from
  const { user, system } = process.cpuUsage(cpu)
  return { result, wall, processor: (user + system) / 1000 }
}

const loaded = await timed(() => server.load())
const started = await timed(async () => {
  const running = await server.start(loaded.result)
  await (await fetch(running.url)).arrayBuffer()
  return running
})
const { putter, reset, stop } = started.result
const put = await putter()
const each = []
for (let round = 0; round < Number(resets); round++) {
  await put('one')
  await put('two')
  each.push((await timed(reset)).wall)
}
each.sort((a, b) => a - b)
const ms = ({ wall, processor }) => ({ wall, processor })
console.log(JSON.stringify({ load: ms(loaded), start: ms(started), reset: each[Math.floor(each.length / 2)] }))
await stop()
process.exit(0)
