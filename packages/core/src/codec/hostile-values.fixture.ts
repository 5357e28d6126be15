/** Values of programs without types, and every object with one of its values replaced, for tests. */

class Thing {
  readonly id = 'x'
  get name(): string {
    return 'y'
  }
}

const circular: { self?: unknown } = {}
circular.self = circular

const unreadable = {
  get id(): string {
    throw new Error('unreadable')
  },
}

/** Makes a new value each time, because some can be used only once. */
export const hostileValues: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => 0,
  () => -0,
  () => -1,
  () => 1.5,
  () => Number.NaN,
  () => Number.POSITIVE_INFINITY,
  () => 2 ** 53,
  () => Number.MAX_SAFE_INTEGER,
  () => 7n,
  () => true,
  () => '',
  () => '7',
  () => 'half \ud800 of a pair',
  () => 'x'.repeat(1000),
  () => '\u{10ffff}'.repeat(300),
  () => Symbol('s'),
  () => () => undefined,
  () => new Date(0),
  () => Object('boxed'),
  () => Object(7),
  () => [],
  () => Array(3),
  () => [undefined],
  () => ({}),
  () => ({ toJSON: () => 'other' }),
  () => new Thing(),
  () => new Map(),
  () => circular,
  () => unreadable,
  () => new Proxy({}, { get: () => raise('a trap') }),
  () => new Proxy([], { get: () => raise('a trap') }),
]

function raise(message: string): never {
  throw new Error(message)
}

type Path = readonly (string | number)[]

/** The path of every value within a value, and of the value itself. */
export function pathsIn(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value)
  return [path, ...entries.flatMap(([name, field]) => pathsIn(field, [...path, name]))]
}

/** A copy with another value at the path. */
export function replaced(value: unknown, [name, ...rest]: Path, by: (old: unknown) => unknown): unknown {
  if (name === undefined) return by(value)
  if (Array.isArray(value)) return value.map((one, i) => (i === name ? replaced(one, rest, by) : one))
  const fields = value as Readonly<Record<string, unknown>>
  return { ...fields, [name]: replaced(fields[name], rest, by) }
}
