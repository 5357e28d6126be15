/** Buckets that went through an archive are what the model says: after any commands, now and as of any position. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelState, ModelVersion } from '@varve/core/model'
import { exportArchive, importArchive, memoryStore, type Store } from 'varve'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { randomFrom } from '../support/random.ts'
import { seed } from './holds.ts'
import { buckets, commandOf, seedMax } from './seeds.ts'
import { Session } from './session.ts'
import { size } from './sizes.ts'
import { memorySystem, type System } from './systems.ts'

const steps = size('VARVE_ARCHIVE_STEPS', { short: 200, long: 2000 })
const positions = size('VARVE_ARCHIVE_POSITIONS', { short: 8, long: 200 })

describe(`after ${steps} commands, seed ${seed}`, () => {
  let system: System
  let session: Session
  let dir: string

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'varve-archives-'))
    system = await memorySystem({ retentionMs: Number.MAX_SAFE_INTEGER })
    session = new Session(system)
    const { below } = randomFrom(seed)
    for (let i = 0; i < steps; i++) {
      const commandSeed = { kind: below(seedMax), place: below(seedMax), pick: below(seedMax), twist: below(seedMax) }
      await session.ask(commandOf(session.state, commandSeed, `c${i}`))
      const to = session.positionOf(below(seedMax))
      if (i % 40 === 0) await session.undo({ name: `u${i}`, to, again: false })
      if (i % 40 === 20) await session.restore({ name: `r${i}`, bucket: buckets[0] as string, prefix: 'a', to })
    }
  }, 600_000)
  afterAll(() => rm(dir, { recursive: true, force: true }))

  it('a bucket comes back with every version and delete marker', async () => {
    for (const bucket of session.state.buckets.keys()) {
      const path = join(dir, `${bucket}-all`)
      await exportArchive(system.store, path, { bucket, withHistory: true })
      const target = await memoryStore()
      await importArchive(target, path)
      expect(await shown(target, bucket, true), bucket).toEqual(expected(session.state, bucket, true))
      // A second import finds everything there.
      const { seq } = target
      await importArchive(target, path)
      expect(target.seq).toBe(seq)
      await target.close()
    }
  }, 600_000)

  it(`a bucket comes back as it was, at ${positions} random positions`, async () => {
    const { below } = randomFrom(seed + 1)
    for (let i = 0; i < positions; i++) {
      const at = session.positionOf(below(seedMax))
      const state = session.states[at] as ModelState
      for (const bucket of state.buckets.keys()) {
        const path = join(dir, `${bucket}-${i}`)
        const withHistory = i % 2 === 0
        await exportArchive(system.store, path, { bucket, at, withHistory })
        const target = await memoryStore()
        await importArchive(target, path)
        expect(await shown(target, bucket, withHistory), `${bucket} at ${at}`).toEqual(
          expected(state, bucket, withHistory),
        )
        await target.close()
      }
    }
  }, 600_000)
})

type Shown = ReadonlyMap<string, readonly string[]>

/** Of each key the versions, the newest first; or the object alone. */
function expected(state: ModelState, bucket: string, withHistory: boolean): Shown {
  const keys = [...(state.buckets.get(bucket)?.keys ?? [])]
  const versions = keys.map(([key, all]) => [key, (withHistory ? all : all.slice(0, 1)).map(textOf)] as const)
  return new Map(versions.filter(([, all]) => withHistory || all[0] !== deleted))
}

const deleted = '(deleted)'

const textOf = ({ object }: ModelVersion): string =>
  object === undefined ? deleted : `${object.body} tagged ${object.tag ?? 'not'}`

async function shown(store: Store, bucket: string, withHistory: boolean): Promise<Shown> {
  const found = new Map<string, string[]>()
  for await (const entry of store.versions.list(bucket)) {
    if (entry.kind === 'prefix' || (!withHistory && !(entry.isLatest && entry.kind === 'version'))) continue
    const { key, versionId } = entry
    const versions = found.get(key) ?? []
    found.set(key, versions)
    if (entry.kind === 'marker') versions.push(deleted)
    else {
      const text = await (await store.versions.get(bucket, key, versionId)).text()
      const { tags = [] } = await store.objects.annotations(bucket, key, { versionId })
      versions.push(`${text} tagged ${tags[0]?.value ?? 'not'}`)
    }
  }
  return found
}
