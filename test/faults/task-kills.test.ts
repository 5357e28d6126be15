/**
 * SIGKILL in the middle of restores and undos of many commits, again and again until they have ended: every object is as it
 * was, with its tags, and the store verifies. VARVE_TASK_KILLS sets how often (`npm run suite task-kills`: 100).
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openStore, type Store, verifyStore } from 'varve'
import { Child } from './machine/child.ts'
import type { Orders, Report } from './tasks/carrier.ts'

const killsWanted = Number(process.env['VARVE_TASK_KILLS'] ?? 2)
/** Then a task may end: a slow machine would kill it again and again, and a start takes longest of all. */
const killsOfATask = killsWanted > 2 ? 4 : 1
const keys = Array.from({ length: 200 }, (_, i) => `k${String(i).padStart(3, '0')}`)
const bodyOf = (key: string): string => `the body of ${key} `.repeat(8)

let root: string
let kills = 0

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-tasks-'))
})
afterAll(() => rm(root, { recursive: true, force: true }))

it(
  `ends restores and undos whose process is killed ${killsWanted} times, with every object as it was`,
  async () => {
    for (let round = 0; round < 2 || kills < killsWanted; round++) {
      const directory = join(root, String(round))
      const to = await prepare(directory, round % 4 > 1)
      await carried(directory, round % 2 === 0 ? { kind: 'restore', bucket: 'box', to } : { kind: 'undo' })
      const store = await openStore(directory, { sweepEveryMs: 0 })
      expect(await problemsOf(store)).toEqual([])
      await store.close()
      expect(await verifyStore(directory)).toMatchObject({ divergences: [] })
    }
    console.log(`${kills} kills, nothing lost and nothing done twice`)
  },
  60_000 + killsWanted * 10_000,
)

/** A bucket whose objects somebody deletes and replaces. Returns the position before. */
async function prepare(directory: string, versioned: boolean): Promise<number> {
  const store = await openStore(directory, { sweepEveryMs: 0 })
  await store.buckets.create('box', versioned ? { versioning: 'Enabled' } : {})
  for (const key of keys) await store.objects.put('box', key, bodyOf(key), { tags: [{ key: 'of', value: key }] })
  const to = store.seq
  const agent = store.as({ by: { id: 'agent', name: 'Agent' } })
  for (const [i, key] of keys.entries()) {
    if (i % 3 === 0) await agent.objects.put('box', key, 'replaced')
    else await agent.objects.delete('box', key)
  }
  await store.close()
  return to
}

/** Kills the process at any time after it has begun; each next one has longer, and the last as long as it needs. */
async function carried(directory: string, begin: NonNullable<Orders['begin']>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const child = new Child<Report>('tasks/carrier.js')
    child.report(attempt === 0 ? { directory, begin } : ({ directory } satisfies Orders))
    const ended = child.line(({ what }) => what === 'ended').then(() => true)
    await child.line(({ what }) => what === (attempt === 0 ? 'progress' : 'opened'))
    const deadline = attempt < killsOfATask ? [delay(Math.random() * 60 * (attempt + 1)).then(() => false)] : []
    const isOver = await Promise.race([ended, ...deadline])
    await child.kill()
    ended.catch(() => undefined)
    if (isOver) return
    kills++
  }
}

async function problemsOf(store: Store): Promise<readonly string[]> {
  const problems: string[] = []
  for (const key of keys) {
    const text = await (await store.objects.get('box', key)).text()
    const { tags } = await store.objects.annotations('box', key)
    if (text !== bodyOf(key) || tags?.[0]?.value !== key) problems.push(key)
  }
  const outcomes: string[] = []
  for await (const { data } of store.log({ types: ['TaskEnded'] }))
    outcomes.push(String((data as { outcome: unknown }).outcome))
  return outcomes.join() === 'done' ? problems : [...problems, `the task ended with ${outcomes.join()}`]
}
