/** Ports that give other values than their types say: each call is an error with a code, and nothing wrong is stored. */
import { describe, expect, it } from 'vitest'
import { isStorageError } from '../../base/errors.ts'
import { type MemoryPorts, memoryPorts } from '../memory-ports.fixture.ts'
import { openEngine } from '../open-engine.ts'

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}
/** Never an id and never a time. */
const wrong: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a BigInt', 5n],
  ['a text', 'x'],
  ['an empty text', ''],
  ['NaN', Number.NaN],
  ['an infinite number', Number.POSITIVE_INFINITY],
  ['an object', {}],
  ['an array', []],
  ['a symbol', Symbol('x')],
  ['a function', () => 5],
  ['bytes', new Uint8Array(3)],
  ['a promise', Promise.resolve(5)],
  ['a revoked proxy', revoked()],
  ['true', true],
]
const wrongIds: typeof wrong = [
  ...wrong,
  ['a number', 5],
  ['upper case', 'A'.repeat(32)],
  ['a long text', 'a'.repeat(70_000)],
  ['half of a pair', '\ud800'.repeat(32)],
]
/** From the first call, and once the store is open. */
const givenAfter = [0, 8]

const failing = (value: unknown, after: number, right: () => unknown) => {
  let calls = 0
  return () => (calls++ >= after ? value : right())
}

const broken: Readonly<Record<string, (ports: MemoryPorts, value: unknown, after: number) => object>> = {
  'clock.now': ({ clock }, value, after) => ({
    clock: { now: failing(value, after, () => clock.now()), monotonic: () => clock.monotonic() },
  }),
  'clock.monotonic': ({ clock }, value, after) => ({
    clock: { now: () => clock.now(), monotonic: failing(value, after, () => clock.monotonic()) },
  }),
  'ids.next': ({ ids }, value, after) => ({ ids: { next: failing(value, after, () => ids.next()) } }),
}

async function useOf(ports: MemoryPorts): Promise<void> {
  const store = await openEngine(ports, { inlineMax: 8 })
  try {
    await store.buckets.create('box')
    for (const size of [1, 100]) await store.objects.put('box', 'k', 'x'.repeat(size))
    const upload = await store.uploads.create('box', 'parts')
    await store.uploads.uploadPart(upload, 1, 'part')
    await store.transaction((own) => own.objects.delete('box', 'k'))
    await store.undo({ from: 2, dryRun: true })
    await store.sweep()
    // Until the port was called often enough.
    for (let i = 0; i < givenAfter.length * 8; i++) await store.objects.put('box', 'k', 'x'.repeat(100))
  } finally {
    await store.close().catch(() => undefined)
  }
}

const cases = Object.keys(broken).flatMap((name) =>
  (name === 'ids.next' ? wrongIds : wrong).flatMap(([kind, value]) =>
    [true, false].map((exclusive) => [name, kind, exclusive, value] as const),
  ),
)

describe('a port that gives what its type does not allow', () => {
  it.each(cases)('is an error with a code: %s gives %s, exclusive: %s', async (name, _kind, exclusive, value) => {
    for (const after of givenAfter) {
      const ports = memoryPorts()
      ports.journal.exclusive = exclusive
      const refused = await useOf({ ...ports, ...broken[name]?.(ports, value, after) } as MemoryPorts).then(
        () => undefined,
        (error: unknown) => error,
      )
      expect(isStorageError(refused), String(refused instanceof Error ? refused.stack : 'no error')).toBe(true)
    }
  })
})
