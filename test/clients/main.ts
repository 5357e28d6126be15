/**
 * The client matrix: every client that is installed plays its session against a server of this tree.
 *
 *     npm run suite clients -- [NAME…] [--write] [--limit SECONDS] [--keep] [--list]
 *
 * NAME is part of a client's name; without any, all are run. `--write` writes the results into docs/clients.md, which
 * describes how to install the clients. Ends with 1 if an installed client failed, or if none is installed.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { serveTree } from '../support/tree-server.ts'
import { sessions } from './sessions/index.ts'
import { type Material, makeMaterial } from './support/material.ts'
import { type Credentials, Scene } from './support/scene.ts'
import type { ClientSession } from './support/session.ts'
import { writeRows } from './table.ts'

interface Outcome {
  readonly session: ClientSession
  readonly version: string
  readonly kind: 'passed' | 'failed' | 'absent'
  /** Why it failed or is absent; nothing if it passed. */
  readonly reason: string
  readonly seconds: number
}

interface Place {
  readonly port: number
  readonly credentials: Credentials
  readonly material: Material
  readonly scratch: string
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    write: { type: 'boolean', default: false },
    /** Of one session. */
    limit: { type: 'string', default: '600' },
    /** Leaves the scratch directory. */
    keep: { type: 'boolean', default: false },
    list: { type: 'boolean', default: false },
  },
})
const page = new URL('../../../docs/clients.md', import.meta.url)
const wanted = positionals.map((name) => name.toLowerCase())
const chosen = sessions.filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.toLowerCase().includes(part)),
)

if (values.list) for (const { name } of chosen) console.log(name)
else process.exitCode = await play()

async function play(): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), 'varve-clients-'))
  const credentials = {
    accessKeyId: randomBytes(10).toString('hex').toUpperCase(),
    secretAccessKey: randomBytes(20).toString('hex'),
  }
  const identities = join(scratch, 'identities.json')
  await writeFile(identities, JSON.stringify({ identities: [{ name: 'clients', ...credentials, root: true }] }), {
    mode: 0o600,
  })
  const server = await serveTree({ store: join(scratch, 'store'), identities })
  const outcomes: Outcome[] = []
  try {
    await mkdir(join(scratch, 'material'))
    const material = await makeMaterial(join(scratch, 'material'))
    for (const session of chosen) {
      const outcome = await meet(session, { port: server.port, credentials, material, scratch })
      outcomes.push(outcome)
      show(outcome)
    }
  } finally {
    await server.stop()
    if (values.keep) console.log(`Kept: ${scratch}`)
    else await rm(scratch, { recursive: true, force: true })
  }
  return conclude(outcomes)
}

async function meet(session: ClientSession, place: Place): Promise<Outcome> {
  const from = performance.now()
  const outcome = { session, version: '', reason: '', seconds: 0 }
  try {
    const found = await session.find()
    if ('absent' in found) return { ...outcome, kind: 'absent', reason: found.absent }
    try {
      await within(place, (scene) => found.run(scene))
      return { ...outcome, kind: 'passed', version: found.version, seconds: (performance.now() - from) / 1000 }
    } catch (error) {
      return { ...outcome, kind: 'failed', version: found.version, reason: String(error) }
    }
  } catch (error) {
    return { ...outcome, kind: 'failed', reason: String(error) }
  }
}

async function within(
  { port, credentials, material, scratch }: Place,
  run: (scene: Scene) => Promise<void>,
): Promise<void> {
  const bucket = `session-${randomBytes(6).toString('hex')}`
  const dir = join(scratch, bucket)
  await mkdir(dir)
  const signal = AbortSignal.timeout(Number(values.limit) * 1000)
  const scene = new Scene({ port, credentials, material, dir, bucket, signal })
  try {
    await run(scene)
  } finally {
    scene.close()
  }
}

function show({ session, version, kind, reason, seconds }: Outcome): void {
  const took = kind === 'passed' ? `${seconds.toFixed(0)} s` : ''
  console.log(
    `${session.name.padEnd(42)} ${version.padEnd(20)} ${kind.padEnd(7)} ${kind === 'absent' ? reason : took}`.trimEnd(),
  )
  if (kind === 'failed') console.log(reason.replaceAll(/^/gm, '    '))
}

async function conclude(outcomes: readonly Outcome[]): Promise<number> {
  const count = (kind: Outcome['kind']) => outcomes.filter((one) => one.kind === kind).length
  console.log(`\n${count('passed')} passed, ${count('failed')} failed, ${count('absent')} absent`)
  if (values.write) {
    const date = new Date().toISOString().slice(0, 10)
    const rows = outcomes.map(({ session, version, kind, reason }) => ({
      client: session.name,
      version: version || '–',
      outcome: kind === 'absent' ? `absent: ${reason}` : kind,
      date,
      does: session.does,
      needs: session.needs,
    }))
    const order = sessions.map(({ name }) => name)
    await writeFile(page, writeRows(await readFile(page, 'utf8'), rows, order))
  }
  return count('failed') === 0 && count('passed') > 0 ? 0 : 1
}
