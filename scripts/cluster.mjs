/**
 * A cluster on this machine: PostgreSQL, a server for blobs, three nodes of one store, and a balancer before them.
 *
 *     npm run cluster                  brings it up; what it stored before is there again
 *     npm run cluster -- status        what runs
 *     npm run cluster -- kill node-2   ends one process, as a crash does; `npm run cluster` starts it again
 *     npm run cluster -- pause node-2  it stands still, until `resume`
 *     npm run cluster -- down          ends all of it, and keeps the data in .varve/cluster
 *
 * `--replicated` is a cluster whose database survives the loss of a server: a primary and two standbys (db-1 to db-3) under Patroni, with etcd
 * and HAProxy. Its data is in .varve/replicated.
 *
 * `--dir DIR` is another place, `--port PORT` another port of the balancer (9000). PostgreSQL must be installed, and for
 * --replicated also Patroni, etcd and HAProxy. VARVE_CLUSTER_BLOBS is the path of `minio` or `versitygw`, for another server of the blobs.
 */
import { parseArgs } from 'node:util'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { membersOf } from './cluster/members.mjs'
import { crash, end, isRunning, pause, resume, start } from './cluster/processes.mjs'
import { loadPlan } from './cluster/plan.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    dir: { type: 'string' },
    port: { type: 'string', default: '9000' },
    replicated: { type: 'boolean', default: false },
  },
})
const [action = 'up', name] = positionals
const actions = {
  up,
  status,
  kill: () => ofMember(crash),
  pause: () => ofMember(pause),
  resume: () => ofMember(resume),
  down,
}
const chosen = Object.hasOwn(actions, action) ? actions[action] : undefined
if (chosen === undefined) {
  console.error(`There is no action ${action}: ${Object.keys(actions).join(', ')}.`)
  process.exit(2)
}
const form = values.replicated ? 'replicated' : 'cluster'
const plan = await loadPlan(resolve(values.dir ?? `${root}.varve/${form}`), Number(values.port), values.replicated)
const members = membersOf(plan)
await chosen()

async function up() {
  for (const member of members) if (!isRunning(plan.dir, member.name)) await start(plan.dir, member)
  const { accessKeyId, secretAccessKey, ports } = plan
  const url = `http://127.0.0.1:${ports.balancer}`
  console.log(`The cluster is up.\n`)
  await status()
  console.log(`
  export AWS_ACCESS_KEY_ID=${accessKeyId} AWS_SECRET_ACCESS_KEY=${secretAccessKey}
  aws --endpoint-url ${url} --region eu s3 mb s3://photos
  npm run cluster -- kill node-1     # all goes on
  npm run cluster -- down
`)
}

async function status() {
  for (const { name: member, address } of members)
    console.log(`  ${member.padEnd(10)} ${isRunning(plan.dir, member) ? 'runs ' : 'ended'} ${address}`)
}

async function ofMember(act) {
  if (members.some((member) => member.name === name)) return act(plan.dir, name)
  console.error(`Name one of ${members.map((member) => member.name).join(', ')}.`)
  process.exitCode = 2
}

async function down() {
  for (const { name: member } of members.toReversed()) await end(plan.dir, member)
  console.log(`The cluster is down. Its data is in ${plan.dir}.`)
}
