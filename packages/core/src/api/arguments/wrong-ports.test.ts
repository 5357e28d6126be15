/** Every method of every port, with wrong values and failures: each call of the store is an error with a code, or succeeds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isStorageError } from '../../base/errors.ts'
import { StorageError } from '../../base/errors.ts'
import { type MemoryPorts, memoryPorts } from '../memory-ports.fixture.ts'
import { openEngine } from '../open-engine.ts'
import { checkPorts } from './ports.ts'

const unhandled: unknown[] = []
const onUnhandled = (error: unknown): void => void unhandled.push(error)
beforeAll(() => void process.on('unhandledRejection', onUnhandled))
afterAll(() => void process.off('unhandledRejection', onUnhandled))

/** What a method gives instead. */
const wrong: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  'a number': () => 5,
  'an object': () => ({}),
  'an array of null': () => [null],
  'a promise of null': () => Promise.resolve(null),
  'a promise that rejects': () => Promise.reject(new TypeError('of the port')),
  'a failure': () => {
    throw new TypeError('of the port')
  },
  'what iterates over null': () => ({
    [Symbol.asyncIterator]: () => ({ next: async () => ({ done: false, value: null }) }),
  }),
  'an object of wrong methods': () => new Proxy({}, { get: (_, name) => (name === 'then' ? undefined : () => null) }),
}

/** All ports, the optional ones too. */
function allPorts(): Readonly<Record<string, object>> {
  const memory = memoryPorts()
  return {
    ...memory,
    witness: { read: async () => undefined, write: async () => undefined, note: () => undefined },
    confirmation: { refusal: undefined, confirmed: () => undefined },
    copies: {
      name: 'copy',
      open: async () => Promise.reject(new StorageError('BlobMissing', 'None.')),
      sideRow: async () => undefined,
    },
    erasureCopies: { behind: async () => [] },
    reserve: { exhausted: () => false, room: async () => ({ total: 9, free: 9, reserved: 0 }) },
    secret: { read: async () => new Uint8Array(32) },
    policies: { check: async () => undefined },
    time: { read: async () => undefined, write: async () => undefined },
    timer: {
      pause: () => new Promise<void>((resolve) => setTimeout(resolve, 1)),
      nextTurn: () => new Promise<void>((resolve) => setImmediate(resolve)),
    },
    signer: {
      identity: async () => ({ origin: 'varve', publicKey: new Uint8Array(32) }),
      sign: async () => new Uint8Array(64),
      last: async () => undefined,
      keep: async () => undefined,
      renew: async () => ({ origin: 'varve', publicKey: new Uint8Array(32) }),
      verify: () => true,
    },
    keyring: { master: undefined, has: () => false, wrap: async () => new Uint8Array(), unwrap: async () => undefined },
    ciphers: {
      seal: () => new Uint8Array(),
      open: () => undefined,
      derive: (_: unknown, __: unknown, ___: unknown, length: number) => new Uint8Array(length),
      random: (length: number) => new Uint8Array(length),
    },
  }
}

const methodsOf = (port: object): readonly string[] =>
  Object.keys(port).filter((name) => typeof Reflect.get(port, name) === 'function')

const asPorts = (ports: Readonly<Record<string, object>>): MemoryPorts =>
  ({ ...ports, copies: [ports.copies] }) as unknown as MemoryPorts

function brokenPorts(name: string, method: string, value: () => unknown, after: number): MemoryPorts {
  const ports = allPorts()
  const port = ports[name] as Readonly<Record<string, (...given: unknown[]) => unknown>>
  let calls = 0
  const instead = (...given: unknown[]) => (calls++ >= after ? value() : port[method]?.(...given))
  return asPorts({
    ...ports,
    [name]: Object.defineProperties(
      {},
      { ...Object.getOwnPropertyDescriptors(port), [method]: { value: instead, enumerable: true } },
    ),
  })
}

/** Collects the error of each call, and goes on after it. */
async function errorsOf(ports: MemoryPorts): Promise<readonly unknown[]> {
  const errors: unknown[] = []
  const tried = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await call()
    } catch (error) {
      errors.push(error)
      return undefined
    }
  }
  const store = await tried(() => openEngine(ports, { inlineMax: 8 }))
  if (store === undefined) return errors
  await tried(() => store.buckets.create('box'))
  for (const size of [1, 100]) await tried(() => store.objects.put('box', `k${size}`, 'x'.repeat(size)))
  for (const size of [1, 100]) await tried(async () => (await store.objects.get('box', `k${size}`))?.text())
  await tried(async () => {
    for await (const _ of store.objects.list('box')) continue
  })
  const upload = await tried(() => store.uploads.create('box', 'parts'))
  if (upload !== undefined) await tried(() => store.uploads.uploadPart(upload, 1, 'part of an upload'))
  await tried(() => store.identities.create('ann'))
  await tried(() => store.identities.addKey('ann'))
  await tried(() => store.usage())
  await tried(async () => (await store.objects.get('box', 'k100'))?.text())
  await tried(async () => {
    for await (const _ of store.log()) continue
  })
  await tried(() => store.objects.delete('box', 'k100'))
  await tried(() => store.sweep())
  await tried(() => store.verify())
  await tried(() => store.scrub())
  await tried(() => store.close())
  return errors
}

describe('a port that gives something wrong, or fails', () => {
  // What waits by a timer that never waits takes the whole thread: its calls are tried by themselves.
  const { timer: _, ...tried } = allPorts()
  const places = Object.entries(tried).flatMap(([name, port]) =>
    methodsOf(port).map((method) => [name, method] as const),
  )

  it.each(places)('is an error with a code at most: %s.%s', async (name, method) => {
    for (const [i, [kind, value]] of Object.entries(wrong).entries()) {
      // From the first call, or once the store is open.
      for (const after of [i % 2 === 0 ? 3 : 0]) {
        for (const error of await errorsOf(brokenPorts(name, method, value, after))) {
          expect(isStorageError(error), `${kind}: ${error instanceof Error ? error.stack : String(error)}`).toBe(true)
        }
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 0))
    expect(unhandled).toEqual([])
  })

  it.each(['pause', 'nextTurn'])('is an error of each call: timer.%s', async (method) => {
    for (const value of [wrong.undefined, wrong.null, wrong['a number'], wrong['a failure']]) {
      const { timer } = checkPorts(brokenPorts('timer', method, value as () => unknown, 0))
      const failed = method === 'pause' ? timer?.pause(1) : timer?.nextTurn()
      await expect(failed).rejects.toMatchObject({ details: { ArgumentName: `ports.timer.${method}` } })
    }
  })

  it('is named with its method in the error', () => {
    const ports = checkPorts(brokenPorts('hashing', 'crc32', () => null, 0))
    expect(() => ports.hashing.crc32(new Uint8Array(1))).toThrow('ports.hashing.crc32 must give')
  })
})
