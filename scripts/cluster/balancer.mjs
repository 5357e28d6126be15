/**
 * Gives each connection to the next node that is healthy: `node balancer.mjs PORT NODE-PORT...`. It is for a developer's machine. In
 * production, use HAProxy, Caddy or the balancer of your cloud.
 */
import { connect, createServer } from 'node:net'

const [port, ...nodes] = process.argv.slice(2).map(Number)
const healthy = new Set(nodes)
let turn = 0

createServer({ pauseOnConnect: true }, (client) => {
  client.on('error', () => client.destroy())
  const first = turn++
  const inTurn = nodes.map((_, at) => nodes[(first + at) % nodes.length])
  give(client, [...inTurn.filter((node) => healthy.has(node)), ...inTurn.filter((node) => !healthy.has(node))])
}).listen(port, '127.0.0.1')

/** A node that does not take the connection leaves it to the next one. */
function give(client, [node, ...others]) {
  if (node === undefined) return client.destroy()
  const server = connect(node, '127.0.0.1')
  const refused = () => give(client, others)
  server.once('error', refused)
  server.once('connect', () => {
    server.off('error', refused)
    server.on('error', () => server.destroy())
    client.pipe(server).pipe(client)
    server.once('close', () => client.destroy())
    client.once('close', () => server.destroy())
  })
}

async function look(node) {
  const answer = await fetch(`http://127.0.0.1:${node}/-/health`, { signal: AbortSignal.timeout(1000) }).catch(
    () => undefined,
  )
  if (answer?.ok) healthy.add(node)
  else healthy.delete(node)
}

setInterval(() => void Promise.all(nodes.map(look)), 1000)
