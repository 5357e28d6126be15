/** The processes of a cluster, in the order in which they start. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { postgresMember } from './postgres.mjs'

const varve = fileURLToPath(new URL('../../packages/varve/bin/varve.js', import.meta.url))
const balancer = fileURLToPath(new URL('balancer.mjs', import.meta.url))
const bucket = 'blobs'

export function membersOf(plan) {
  const { ports, nodes } = plan
  const names = nodes.map((name) => [name, ports[name]])
  return [postgresMember(plan), blobsMember(plan), ...names.map((node) => nodeMember(plan, node)), balancerMember(plan)]
}

const keysOf = ({ accessKeyId, secretAccessKey }) => ({
  VARVE_ACCESS_KEY_ID: accessKeyId,
  VARVE_SECRET_ACCESS_KEY: secretAccessKey,
  AWS_ACCESS_KEY_ID: accessKeyId,
  AWS_SECRET_ACCESS_KEY: secretAccessKey,
})

/** Any S3 server could have the blobs. This one is at hand. */
function blobsMember(plan) {
  const { dir, ports } = plan
  return {
    name: 'blobs',
    address: `http://127.0.0.1:${ports.blobs}`,
    env: keysOf(plan),
    command: [process.execPath, varve, 'serve', join(dir, 'blobs'), '--port', String(ports.blobs)],
    async ready() {
      if (!(await isHealthy(ports.blobs))) return false
      makeBucket(plan)
      return true
    },
  }
}

function nodeMember(plan, [name, port]) {
  const { ports, password } = plan
  const endpoint = encodeURIComponent(`http://127.0.0.1:${ports.blobs}`)
  const journal = `postgres://varve@127.0.0.1:${ports.postgres}/postgres`
  const blobs = `s3://${bucket}/store?region=eu&endpoint=${endpoint}`
  return {
    name,
    address: `http://127.0.0.1:${port}`,
    env: { ...keysOf(plan), PGPASSWORD: password },
    command: [process.execPath, varve, 'serve', '--journal', journal, '--blobs', blobs, '--port', String(port)],
    ready: () => isHealthy(port),
  }
}

const balancerMember = ({ ports, nodes }) => ({
  name: 'balancer',
  address: `http://127.0.0.1:${ports.balancer}`,
  command: [process.execPath, balancer, String(ports.balancer), ...nodes.map((name) => String(ports[name]))],
  ready: () => isHealthy(ports.balancer),
})

async function isHealthy(port) {
  const { ok } = await fetch(`http://127.0.0.1:${port}/-/health`)
  return ok
}

/** Fails if the bucket is there, and then the server has it from before. */
function makeBucket(plan) {
  const at = ['--endpoint', `http://127.0.0.1:${plan.ports.blobs}`]
  const env = { ...process.env, ...keysOf(plan) }
  const { status, stderr } = spawnSync(process.execPath, [varve, 'mb', `s3://${bucket}`, ...at], {
    env,
    encoding: 'utf8',
  })
  if (status !== 0 && !stderr.includes('BucketAlreadyOwnedByYou')) throw new Error(stderr)
}
