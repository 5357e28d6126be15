import { apply, emptyState, type ModelState } from '@varve/core/model'
import { beforeAll, describe, expect, it } from 'vitest'
import { bindingsOf } from './bindings.ts'
import { differences } from './compare.ts'
import { diffDifferences } from './compare-diffs.ts'
import { randomFrom } from '../support/random.ts'
import { seed } from './holds.ts'
import { Session } from './session.ts'
import { size } from './sizes.ts'
import { memorySystem, type System } from './systems.ts'
import { buckets, commandOf, seedMax } from './seeds.ts'

const steps = size('VARVE_SESSION', { short: 1000, long: 5000 })
const positions = size('VARVE_POSITIONS', { short: 50, long: 1000 })
const forever = Number.MAX_SAFE_INTEGER

/** Deep rather than many: long histories of few keys. */
describe(`one long session of ${steps} commands, seed ${seed}`, () => {
  let system: System
  let session: Session

  beforeAll(async () => {
    // None is erased: the past can be read whole.
    system = await memorySystem({ retentionMs: forever })
    session = new Session(system)
    const { below } = randomFrom(seed)
    for (let i = 0; i < steps; i++) {
      const commandSeed = { kind: below(seedMax), place: below(seedMax), pick: below(seedMax), twist: below(seedMax) }
      await session.ask(commandOf(session.state, commandSeed, `c${i}`))
      if (i % 25 > 0) continue
      const to = session.positionOf(below(seedMax))
      await session.restore({ name: `r${i}`, bucket: buckets[below(buckets.length)] as string, prefix: 'a', to })
    }
  }, 600_000)

  it('leaves the store as the model predicts', async () => {
    expect(await system.differences(session.state, session.bindings)).toEqual([])
  })

  it('finds in the log what every command made', async () => {
    expect(await differences(system.store, session.state, await bindingsOf(system.store))).toEqual([])
  })

  it(`reads as the model did, at ${positions} random positions of the past`, async () => {
    const random = randomFrom(seed + 1)
    for (let i = 0; i < positions; i++) {
      const seq = session.positionOf(random.below(seedMax))
      const state = session.states[seq] as ModelState
      const options = { bytes: i % 20 === 0 }
      expect(await differences(await system.store.at(seq), state, session.bindings, options), `at ${seq}`).toEqual([])
    }
  }, 600_000)

  it(`finds what differs between two random positions as the model does, ${positions} times`, async () => {
    const random = randomFrom(seed + 2)
    const { states, bindings } = session
    for (let i = 0; i < positions; i++) {
      const between = [session.positionOf(random.below(seedMax)), session.positionOf(random.below(seedMax))] as const
      expect(await diffDifferences(system.store, { states, bindings }, between), between.join(' to ')).toEqual([])
    }
  }, 600_000)

  it('finds the same position by time as by number', async () => {
    const times = new Map<number, number>()
    for await (const { at, seq } of system.store.log({ from: 1, to: 200 })) times.set(at, seq)
    for (const [at, seq] of [...times].slice(0, -1)) expect((await system.store.at(new Date(at))).seq).toBe(seq)
  })

  it('makes the same rows again in an empty store, byte for byte', async () => {
    expect(await system.replayDifferences()).toEqual([])
  })

  it('verifies', async () => {
    expect(await system.store.verify()).toMatchObject({ ok: true, divergences: [] })
  })
})

describe('a comparison with the model', () => {
  it('reports everything that differs from the model', async () => {
    const system = await memorySystem({})
    const session = new Session(system)
    const [bucket, key] = ['box', 'k']
    await session.ask({ type: 'createBucket', name: 'c1', bucket })
    await session.ask({ type: 'putObject', name: 'c2', bucket, key, body: 'one' })
    await session.ask({ type: 'createUpload', name: 'c3', bucket, key })
    await session.ask({ type: 'uploadPart', name: 'c4', bucket, key, upload: 'c3', number: 1, body: 'part' })
    expect(await system.differences(session.state, session.bindings)).toEqual([])
    const otherwise: Readonly<Record<string, ModelState>> = {
      'buckets: ': emptyState,
      'versioning of ': apply(session.state, { type: 'setVersioning', name: 'x', bucket, status: 'Enabled' }).state,
      'versions of ': apply(session.state, { type: 'putObject', name: 'x', bucket, key, body: 'two' }).state,
      'objects of ': apply(session.state, { type: 'deleteObject', name: 'x', bucket, key }).state,
      'current of ': apply(session.state, { type: 'putObject', name: 'x', bucket, key, body: 'eno' }).state,
      'uploads of ': apply(session.state, { type: 'abortUpload', name: 'x', bucket, key, upload: 'c3' }).state,
      'parts of ': apply(session.state, {
        type: 'uploadPart',
        name: 'x',
        bucket,
        key,
        upload: 'c3',
        number: 1,
        body: 'trap',
      }).state,
    }
    for (const [line, state] of Object.entries(otherwise)) {
      expect(await system.differences(state, session.bindings)).toContainEqual(expect.stringContaining(line))
    }
  })
})
