/** The processes of a cluster, in the order in which they start. */
import { fileURLToPath } from 'node:url'
import { blobsBucket, blobsMember } from './blobs.mjs'
import { postgresMember } from './postgres.mjs'
import { replicatedMembers } from './replicated.mjs'

const built = fileURLToPath(new URL('../../packages/varve/bin/varve.js', import.meta.url))
/** Tests set it: the bundle starts in half the time. */
const varve = process.env.BUNDLED_VARVE ?? built
const balancer = fileURLToPath(new URL('balancer.mjs', import.meta.url))

/** `route(from, to)` is the port at which one member reaches another. @default its own */
export function membersOf(plan, route = (_, to) => plan.ports[to]) {
  const { ports, nodes } = plan
  const names = nodes.map((name) => [name, ports[name]])
  return [
    ...(isReplicated(plan) ? replicatedMembers(plan, route) : [postgresMember(plan)]),
    blobsMember(plan, { varve, keys: keysOf(plan) }),
    ...names.map((node) => nodeMember(plan, node, route)),
    balancerMember(plan, route),
  ]
}

/** A plan of an earlier time names no databases. */
const isReplicated = ({ databases = [] }) => databases.length > 0

const keysOf = ({ accessKeyId, secretAccessKey }) => ({
  VARVE_ACCESS_KEY_ID: accessKeyId,
  VARVE_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
})

function nodeMember(plan, [name, port], route) {
  const { password } = plan
  const endpoint = encodeURIComponent(`http://127.0.0.1:${route(name, 'blobs')}`)
  const journal = `postgres://varve@127.0.0.1:${route(name, 'postgres')}/postgres`
  const blobs = `s3://${blobsBucket}/store?region=eu&endpoint=${endpoint}`
  return {
    name,
    address: `http://127.0.0.1:${port}`,
    env: { ...keysOf(plan), PGPASSWORD: password },
    command: [process.execPath, varve, 'serve', '--journal', journal, '--blobs', blobs, '--port', String(port)],
    ready: () => isHealthy(port),
  }
}

const balancerMember = ({ ports, nodes }, route) => ({
  name: 'balancer',
  address: `http://127.0.0.1:${ports.balancer}`,
  command: [
    process.execPath,
    balancer,
    String(ports.balancer),
    ...nodes.map((name) => String(route('balancer', name))),
  ],
  ready: () => isHealthy(ports.balancer),
})

async function isHealthy(port) {
  const { ok } = await fetch(`http://127.0.0.1:${port}/-/health`)
  return ok
}
