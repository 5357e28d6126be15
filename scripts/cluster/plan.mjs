/** What a cluster keeps from one start to the next: its ports and its secrets. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'

const nodes = ['node-1', 'node-2', 'node-3']
const databases = ['db-1', 'db-2', 'db-3']

/**
 * Made on the first call; `port` is that of the balancer, 0 for any free one, and counts only then, as `isReplicated` does: whether the
 * database has standbys.
 */
export async function loadPlan(dir, port, isReplicated = false) {
  const file = join(dir, 'plan.json')
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
  const ports = { balancer: port || (await freePort()), postgres: await freePort(), blobs: await freePort() }
  const replicas = isReplicated ? databases : []
  const more = isReplicated ? ['etcd', 'etcd-peers', ...databases, ...databases.map((name) => `${name}-rest`)] : []
  for (const name of [...nodes, ...more]) ports[name] = await freePort()
  const secret = (bytes) => randomBytes(bytes).toString('hex')
  const plan = {
    dir,
    ports,
    nodes,
    databases: replicas,
    accessKeyId: `cluster-${secret(4)}`,
    secretAccessKey: secret(20),
    password: secret(16),
  }
  mkdirSync(dir, { recursive: true })
  writeFileSync(file, JSON.stringify(plan, undefined, 2), { mode: 0o600 })
  return plan
}

function freePort() {
  const server = createServer()
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}
