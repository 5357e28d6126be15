/** Arguments as a caller without types may give them: one or two places of right ones are made wrong. */
import { isPort } from './ports.ts'
import type { World } from './world.ts'

/** What values of the caller throw by themselves: it may come out of a call as it is. */
export class CallersError extends Error {
  override readonly name = 'CallersError'
}

const fail = (): never => {
  throw new CallersError('thrown by the caller')
}

class Options {
  readonly prefix = 'k'
  get limit(): number {
    return 3
  }
}

class OddBytes extends Uint8Array {
  override get length(): number {
    return 2
  }
}

const circular = (): object => {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}

const throwing = ['get', 'ownKeys', 'getPrototypeOf', 'has', 'getOwnPropertyDescriptor'] as const

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

/** Two answers to one question: what is checked must be what is used. */
const turncoat = (first: unknown, then: unknown): object => {
  let requested = 0
  return {
    get value() {
      return requested++ === 0 ? first : then
    },
  }
}

function nested(depth: number): unknown {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return value
}

function circularArray(): unknown[] {
  const value: unknown[] = []
  value.push(value)
  return value
}

function detached<T extends ArrayBuffer | Uint8Array<ArrayBuffer>>(value: T): T {
  const buffer = value instanceof ArrayBuffer ? value : value.buffer
  structuredClone(buffer, { transfer: [buffer] })
  return value
}

/** Newer than the types of the language that tests are compiled for. */
const resizable = (size: number): ArrayBuffer & { resize(size: number): void } =>
  Reflect.construct(ArrayBuffer, [size, { maxByteLength: 16 }]) as never

function outOfBounds(): Uint8Array {
  const buffer = resizable(8)
  const view = new Uint8Array(buffer, 4, 4)
  buffer.resize(2)
  return view
}

/** Many and not endless: a body of 5 GiB is one. */
function manyTimes(count: number): () => Promise<IteratorResult<string, string>> {
  let left = count
  return async () => ({ value: 'x', done: left-- <= 0 })
}

function rejected(): Promise<never> {
  const promise = Promise.reject(new CallersError('a promise'))
  promise.catch(() => undefined)
  return promise
}

const having = (name: string, value: unknown): object => ({ [name]: value })

function locked(): ReadableStream {
  const stream = new Blob(['x']).stream()
  stream.getReader()
  return stream
}

const given = (generate: () => AsyncGenerator<unknown>): AsyncGenerator<unknown> => generate()

const hostile: readonly ((world: World) => unknown)[] = [
  () => undefined,
  () => null,
  () => true,
  () => 0,
  () => 5,
  () => -1,
  () => -0,
  () => 1.5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => Number.MAX_SAFE_INTEGER,
  () => 1e300,
  () => 5n,
  () => Symbol('s'),
  () => '',
  () => 'a',
  () => '\ud800',
  () => 'k\0\udfff',
  () => '__proto__',
  () => 'constructor',
  () => 'toString',
  () => '../../etc',
  () => 'x'.repeat(3000),
  (world) => (world.number(50) === 0 ? 'x'.repeat(1024 * 1024) : 'y'),
  () => new Date(),
  () => new Date(Number.NaN),
  () => [],
  () => [undefined],
  () => [[]],
  () => Array.from({ length: 3 }),
  () => ({}),
  () => Object.create(null),
  () => Object.create({ prefix: 'k', versionId: 'null' }),
  () => ({ toString: fail, valueOf: fail, toJSON: fail }),
  () => ({ toJSON: () => 'other' }),
  () => JSON.parse('{"__proto__": {"polluted": true}, "constructor": 1}'),
  () => () => undefined,
  () => fail,
  () => new Options(),
  () => new Map([['a', 1]]),
  () => new Set(['a']),
  () => /a/,
  () => new Error('no'),
  () => Promise.resolve('k'),
  () => new Proxy({}, {}),
  (world) => new Proxy({ key: 'k' }, { [world.pick(throwing)]: fail }),
  () => new Proxy([], { get: fail }),
  revoked,
  circular,
  () => turncoat('k', 5),
  () => new Uint8Array(3),
  () => new OddBytes(9),
  () => new Uint16Array(3),
  () => new DataView(new ArrayBuffer(2)),
  () => new SharedArrayBuffer(4),
  () => ({ [Symbol.asyncIterator]: fail }),
  () => ({ [Symbol.asyncIterator]: () => 5 }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: async () => 5 }) }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: manyTimes(1000), return: fail }) }),
  () => ({ [Symbol.asyncIterator]: () => revoked() }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: () => revoked() }) }),
  () => ({ [Symbol.asyncIterator]: () => ({ next: () => ({ done: false, value: revoked() }) }) }),
  async function* () {
    yield 'x'
    fail()
  },
  (world) =>
    given(async function* () {
      yield 'x'
      yield world.pick<unknown>([5, null, {}, 5n, '\ud800', new Uint16Array(2), detached(new Uint8Array(3))])
    }),
  (world) =>
    given(async function* () {
      yield new Uint8Array(new SharedArrayBuffer(8))
      if (world.number(2) === 0) fail()
    }),
  () => new ReadableStream({ start: (controller) => controller.error(new CallersError('in a stream')) }),
  () => locked(),
  () => ({ stream: fail }),
  () => ({ stream: () => 5 }),
  () => Object.assign(Object.create(null), { key: 'k', prefix: 'k' }),
  () => detached(new ArrayBuffer(4)),
  () => detached(new Uint8Array(4)),
  () => new Uint8Array(new SharedArrayBuffer(4)),
  () => new Uint8Array(resizable(4)),
  () => outOfBounds(),
  () => new Uint8Array(8).subarray(2, 4),
  () => new Float64Array(2),
  () => new BigInt64Array(2),
  () => having('then', fail),
  () => having('then', (resolve: (value: unknown) => void) => resolve('k')),
  () => rejected(),
  () => nested(100_000),
  () => circularArray(),
  () => Object.assign([], { length: 2 ** 32 - 1 }),
  () => Object(5) as unknown,
  () => Object('k') as unknown,
  () => Number.MIN_VALUE,
  () => 2 ** 53,
  () => -(2 ** 31),
  () => 'null',
  () => '\udc00\ud800',
  () => 'a\nb\r\n',
  (world) => (world.number(100) === 0 ? 'x'.repeat(16 * 1024 * 1024) : 'z'),
  () => new Date(8.64e15),
  () => new Proxy(() => undefined, { apply: fail }),
  () => new WeakMap(),
  () => globalThis,
  () => new Proxy([], { get: (of, name) => (name === 'length' ? 1e9 : Reflect.get(of, name)) }),
  () => ({ [Symbol.iterator]: () => ({ next: fail }) }),
  () => [5n],
  () => [new Date()],
  () => ({ aborted: false, throwIfAborted: fail, addEventListener: fail, removeEventListener: fail }),
  () => AbortSignal.abort(new CallersError('aborted')),
]

interface Place {
  readonly holder: Record<string | number, unknown>
  readonly name: string | number
}

/** Every place of a value, as deep as right arguments go. What cannot be looked into has none. */
function placesOf(holder: Record<string | number, unknown>, places: Place[] = [], depth = 0): Place[] {
  try {
    for (const name of Object.keys(holder)) {
      places.push({ holder, name })
      const value = holder[name]
      if (depth < 6 && isOpen(value)) placesOf(value as Record<string | number, unknown>, places, depth + 1)
    }
  } catch {
    // It was made wrong before.
  }
  return places
}

const isOpen = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !isPort(value) &&
  (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype)

const changes: readonly ((place: Place, world: World) => void)[] = [
  ({ holder, name }, world) => void (holder[name] = world.pick(hostile)(world)),
  ({ holder, name }, world) => void (holder[name] = world.pick(hostile)(world)),
  ({ holder, name }, world) => void (holder[name] = world.pick(hostile)(world)),
  ({ holder, name }) => void delete holder[name],
  ({ holder, name }) => Object.defineProperty(holder, name, { get: fail, enumerable: true, configurable: true }),
  ({ holder, name }, world) => {
    const values = [holder[name], world.pick(hostile)(world)]
    let requested = 0
    Object.defineProperty(holder, name, { get: () => values[requested++ % 2], enumerable: true, configurable: true })
  },
  ({ holder, name }, world) => {
    const value = holder[name]
    if (typeof value !== 'object' || value === null) return
    const extra = world.pick(['extra', '__proto__', 'constructor', 'retention', 'then', 'toJSON'])
    Object.defineProperty(value, extra, { value: world.pick(hostile)(world), enumerable: true, configurable: true })
  },
  ({ holder, name }, world) => {
    const value = holder[name]
    if (typeof value === 'object' && value !== null) holder[name] = new Proxy(value, { [world.pick(throwing)]: fail })
  },
]

/** The same arguments, with one place or two made wrong; now and then they stay right, or some are missing. */
export function mutated(args: unknown[], world: World): unknown[] {
  if (world.number(20) === 0) return args.slice(0, world.number(args.length + 1))
  for (let count = world.number(10) === 0 ? 0 : 1 + world.number(2); count > 0; count--) {
    const places = placesOf(args as unknown as Record<number, unknown>)
    if (places.length > 0) attempt(() => world.pick(changes)(world.pick(places), world))
  }
  return args
}

/** A change of what was made wrong before may not be possible. */
function attempt(change: () => void): void {
  try {
    change()
  } catch {
    // Then it stays as wrong as it is.
  }
}
