/**
 * In any order of operations, a version is removed only when no lock held it at that time. The test keeps the lock as a
 * few numbers beside the store, and compares every answer and every version with them.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Retention } from '../settings/object-lock.ts'
import { isStorageError } from '../base/errors.ts'
import { list } from './answers.fixture.ts'
import { memoryJournal, type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'
import { openEngine } from './open-engine.ts'
import type { Store } from './store.ts'

const mode = fc.constantFrom('GOVERNANCE' as const, 'COMPLIANCE' as const)
const pick = fc.nat({ max: 5 })
const ms = fc.integer({ min: -1, max: 4 })
const bypass = fc.boolean()
const step = fc.oneof(
  fc.record({ does: fc.constant('put' as const), held: fc.boolean(), mode: fc.option(mode), ms }),
  fc.record({ does: fc.constant('retain' as const), pick, mode: fc.option(mode), ms, bypass }),
  fc.record({ does: fc.constant('hold' as const), pick, held: fc.boolean() }),
  fc.record({ does: fc.constant('remove' as const), pick, bypass }),
  fc.record({ does: fc.constantFrom('cover' as const, 'wait' as const, 'sweep' as const) }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
type StepOf<D extends Step['does']> = Extract<Step, { readonly does: D }>

interface Known {
  held: boolean
  retention: Retention | undefined
}

class World {
  readonly ports: MemoryPorts
  readonly store: Store
  readonly known = new Map<string, Known>()

  constructor(ports: MemoryPorts, store: Store) {
    this.ports = ports
    this.store = store
  }

  get now(): number {
    return this.ports.clock.time
  }

  binds({ retention }: Known, bypassed: boolean): boolean {
    const lasts = retention !== undefined && retention.until > this.now
    return lasts && !(retention.mode === 'GOVERNANCE' && bypassed)
  }

  async take(one: Step): Promise<void> {
    const { objects } = this.store
    switch (one.does) {
      case 'put': {
        const retention = one.mode === null ? undefined : { mode: one.mode, until: this.now + one.ms }
        const made = await answer(
          objects.put('locked', 'k', 'v', { ...(retention && { retention }), legalHold: one.held ? 'ON' : 'OFF' }),
        )
        expect(made.error).toBe(retention !== undefined && one.ms <= 0 ? 'InvalidArgument' : undefined)
        if (made.value !== undefined) this.known.set(made.value.versionId, { held: one.held, retention })
        return
      }
      case 'cover':
        await objects.delete('locked', 'k')
        return
      case 'wait':
        this.ports.clock.time += 1
        return
      case 'sweep':
        await this.store.sweep()
        return
      default:
        return this.change(one)
    }
  }

  /** Of a version that is there. */
  async change(one: Extract<Step, { readonly pick: number }>): Promise<void> {
    const [versionId, known] = [...this.known][one.pick % Math.max(1, this.known.size)] ?? []
    if (versionId === undefined || known === undefined) return
    if (one.does === 'remove') return this.remove(versionId, known, one)
    if (one.does === 'retain') return this.retain(versionId, known, one)
    const value = one.held ? 'ON' : 'OFF'
    await this.store.objects.annotate('locked', 'k', { kind: 'legalHold', value }, { versionId })
    known.held = one.held
  }

  async remove(versionId: string, known: Known, { bypass: bypassGovernance }: StepOf<'remove'>): Promise<void> {
    const { error } = await answer(this.store.objects.delete('locked', 'k', { versionId, bypassGovernance }))
    expect(error).toBe(known.held || this.binds(known, bypassGovernance) ? 'AccessDenied' : undefined)
    if (error === undefined) this.known.delete(versionId)
  }

  async retain(
    versionId: string,
    known: Known,
    { mode, ms, bypass: bypassGovernance }: StepOf<'retain'>,
  ): Promise<void> {
    const next = mode === null ? undefined : { mode, until: this.now + ms }
    const annotation = { kind: 'retention', ...(next && { value: next }) } as const
    const { error } = await answer(
      this.store.objects.annotate('locked', 'k', annotation, { versionId, bypassGovernance }),
    )
    const refused = this.binds(known, bypassGovernance) && !isLonger(known.retention, next)
    expect(error).toBe(next !== undefined && ms <= 0 ? 'InvalidArgument' : refused ? 'AccessDenied' : undefined)
    if (error === undefined) known.retention = next
  }

  async check(): Promise<void> {
    const versions = (await list(this.store.versions.list('locked'))).filter(({ kind }) => kind === 'version')
    const shown = versions.map((each) => ('versionId' in each ? each.versionId : '')).sort()
    expect(shown).toEqual([...this.known.keys()].sort())
    for (const [versionId, { held, retention }] of this.known) {
      const annotations = await this.store.objects.annotations('locked', 'k', { versionId })
      expect([annotations.legalHold, annotations.retention]).toEqual([held ? 'ON' : 'OFF', retention])
    }
  }
}

const isLonger = (from: Retention | undefined, to: Retention | undefined): boolean =>
  to !== undefined && to.mode === from?.mode && to.until >= from.until

async function answer<T>(requested: Promise<T>): Promise<{ readonly value?: T; readonly error?: string }> {
  try {
    return { value: await requested }
  } catch (error) {
    if (isStorageError(error)) return { error: error.code }
    throw error
  }
}

describe('in a bucket with Object Lock', () => {
  it('a version is removed only when nothing holds it, in any order of commands', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const ports = memoryPorts()
        const store = await openEngine(ports, { inlineMax: 64 })
        await store.buckets.create('locked', { versioning: 'Enabled', settings: { ObjectLock: {} } })
        const world = new World(ports, store)
        for (const one of steps) {
          await world.take(one)
          await world.check()
        }
        expect(await store.verify({ scratch: memoryJournal() })).toMatchObject({ ok: true })
        await store.close()
      }),
      { numRuns: 60 },
    ))
})
