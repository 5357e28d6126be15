/**
 * The usage example is killed again and again while it writes and projects: its projection counts each write exactly
 * once. VARVE_PROJECTION_KILLS sets how often (`npm run suite projection-kills`: 100).
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, describe, it } from 'vitest'
import { openStore, type Projection, type Store } from 'varve'

interface Day {
  readonly bytes: number
  readonly objects: number
}

const program = new URL('../../examples/usage/usage.mjs', import.meta.url)
const kills = Number(process.env['VARVE_PROJECTION_KILLS'] ?? 3)

const start = (dir: string, count: number) =>
  spawn(process.execPath, [fileURLToPath(program), dir, String(count)], { stdio: ['ignore', 'pipe', 'inherit'] })

/** Runs the program until it has written something, and then a random while longer. Resolves with its last position. */
async function runAndKill(dir: string): Promise<number> {
  const child = start(dir, 1_000_000)
  let seq = 0
  const lines = createInterface(child.stdout)
  lines.on('line', (line) => (seq = Number(line.replace('wrote ', ''))))
  await once(lines, 'line')
  await delay(Math.random() * 300)
  child.kill('SIGKILL')
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(signal, 'it was killed, it did not fail').toBe('SIGKILL')
  return seq
}

/** What the projection has to be, by the log alone. */
async function counted(store: Store): Promise<Record<string, Day>> {
  const days: Record<string, Day> = {}
  for await (const { type, at, by, data } of store.log()) {
    if (type !== 'VersionAdded') continue
    const key = `${by.id}/${new Date(at).toISOString().slice(0, 10)}`
    const { bytes, objects } = days[key] ?? { bytes: 0, objects: 0 }
    days[key] = { bytes: bytes + data.size, objects: objects + 1 }
  }
  return days
}

/** The states as the process left them, and then as they are at the end of the log. */
async function projected(store: Store, usage: Projection<Day>): Promise<Record<string, Day>> {
  const projection = await store.projections.open(usage)
  await projection.caughtUp()
  const days: Record<string, Day> = {}
  for await (const { key, state } of projection.range()) days[key] = state
  return days
}

describe('the usage example', () => {
  let dir = ''
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'varve-usage-'))
  })
  afterAll(() => rm(dir, { recursive: true, force: true }))

  it('prints the bytes of each user on each day', async () => {
    const own = join(dir, 'own')
    const child = start(own, 4)
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    expect(await once(child, 'close')).toEqual([0, null])
    expect(printed.replaceAll(/\d{4}-\d\d-\d\d/g, 'DAY')).toContain(
      'ann/DAY: 2 bytes, 2 objects\nbob/DAY: 4 bytes, 2 objects\n',
    )
  })

  it(
    `counts each write exactly once, over ${kills} kills`,
    async () => {
      const { usage } = (await import(program.href)) as { readonly usage: Projection<Day> }
      const killed = join(dir, 'killed')
      for (let kill = 0; kill < kills; kill++) {
        const last = await runAndKill(killed)
        const store = await openStore(killed)
        expect(store.seq).toBeGreaterThanOrEqual(last)
        expect(await projected(store, usage)).toEqual(await counted(store))
        expect((await store.verify()).divergences).toEqual([])
        await store.close()
      }
    },
    30_000 + kills * 15_000,
  )
})
