/** A workload that a user defines in a small JSON file or with the equivalent flags. The input is not trusted. */
import { type Fields, fieldsOf, parseJson, wrong } from '../basics/json-fields.ts'
import { type Mix, mixOperations, type MixWorkload, type SizeShare } from '../workloads/workload.ts'

export interface OwnWorkload {
  readonly workload: MixWorkload
  readonly seed?: number
}

const known = 'name, through, mix, sizes, keys, puts, choose, versioned, inFlight, operations, seconds, seed'
const units = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 } as const
const sizeMax = 1024 ** 3
const secondsMax = 86_400
/** The upper limit of operations in a round that is limited by seconds. */
const operationsOfSeconds = 1_000_000

/** @throws UsageError with the name of the field and its allowed values */
export const parseOwnWorkload = (text: string): OwnWorkload => ownWorkload(parseJson('The workload', text))

/** @throws UsageError */
export function ownWorkload(value: unknown): OwnWorkload {
  const fields = fieldsOf('A workload', value)
  const odd = Object.keys(fields).find((name) => !known.split(', ').includes(name))
  if (odd !== undefined) throw wrong(odd, `is no field of a workload: ${known}`)
  const mix = mixIn(fields['mix'])
  const through = oneOf(fields, 'through', ['process', 'http'])
  const puts = oneOf(fields, 'puts', ['any', 'new'])
  const workload: MixWorkload = {
    kind: 'mix',
    name: nameIn(fields['name']),
    title: 'own workload',
    unit: 'operations',
    through,
    mix,
    puts,
    sizes: sizesIn(fields['sizes']),
    keys: keysIn(fields, mix, puts),
    choose: oneOf(fields, 'choose', ['uniform', 'hot']),
    versioned: versionedIn(fields, through),
    inFlight: whole(fields, 'inFlight', { least: 1, most: 1024, otherwise: 16 }),
    ...lengthIn(fields),
    floors: through === 'http' ? ['node-files', 'node-http'] : ['files', 'raw-level'],
  }
  if (fields['seed'] === undefined) return { workload }
  return { workload, seed: whole(fields, 'seed', { least: 0, most: 2 ** 32 - 1, otherwise: 1 }) }
}

/** Reads, listings, deletes and replacing puts need existing keys. */
function keysIn(fields: Fields, mix: Mix, puts: MixWorkload['puts']): number {
  const needed = puts === 'any' || Object.keys(mix).some((operation) => operation !== 'put')
  return whole(fields, 'keys', { least: needed ? 1 : 0, most: 10_000_000, otherwise: 1000 })
}

function versionedIn(fields: Fields, through: MixWorkload['through']): boolean {
  const versioned = fields['versioned'] ?? false
  if (typeof versioned !== 'boolean') throw wrong('versioned', 'is true or false')
  if (versioned && through === 'http') throw wrong('versioned', 'is for work in process only')
  return versioned
}

/** A number of operations, or as many as the time allows. */
function lengthIn(fields: Fields): Pick<MixWorkload, 'operations' | 'seconds'> {
  const bounds = { least: 1, most: 10_000_000 }
  if (fields['seconds'] === undefined)
    return { operations: whole(fields, 'operations', { ...bounds, otherwise: 5000 }) }
  const seconds = numberOf(fields, 'seconds', 0.1, secondsMax)
  return { seconds, operations: whole(fields, 'operations', { ...bounds, otherwise: operationsOfSeconds }) }
}

function nameIn(value: unknown): string {
  if (value === undefined) return 'own'
  if (typeof value === 'string' && /^[\w][\w.+-]{0,63}$/.test(value)) return value
  throw wrong('name', 'is up to 64 letters, digits, dots, hyphens and underscores')
}

function mixIn(value: unknown): Mix {
  if (value === undefined) throw wrong('mix', 'is missing: such as { "get": 70, "put": 20, "list": 5, "delete": 5 }')
  const entries = Object.entries(fieldsOf('mix', value)).filter(([, weight]) => weight !== 0)
  for (const [name, weight] of entries) {
    if (!mixOperations.some((operation) => operation === name))
      throw wrong(`mix.${name}`, `is none of ${mixOperations.join(', ')}`)
    if (!isWeight(weight)) throw wrong(`mix.${name}`, 'is a number above 0')
  }
  if (entries.length === 0) throw wrong('mix', 'asks for nothing')
  return Object.fromEntries(entries) as Mix
}

function sizesIn(value: unknown = 4096): SizeShare[] {
  if (!Array.isArray(value)) return [{ bytes: bytesIn('sizes', value), weight: 1 }]
  if (value.length === 0 || value.length > 100) throw wrong('sizes', 'has 1 to 100 entries')
  return value.map((entry: unknown, i) => {
    const { bytes, weight = 1, ...rest } = fieldsOf(`sizes[${i}]`, entry)
    const odd = Object.keys(rest)[0]
    if (odd !== undefined) throw wrong(`sizes[${i}].${odd}`, 'is neither bytes nor weight')
    if (!isWeight(weight)) throw wrong(`sizes[${i}].weight`, 'is a number above 0')
    return { bytes: bytesIn(`sizes[${i}].bytes`, bytes), weight }
  })
}

function bytesIn(field: string, value: unknown): number {
  const [, count = '', unit = ''] = /^(\d{1,10})(|KiB|MiB|GiB)$/.exec(String(value)) ?? []
  const bytes = count === '' ? Number.NaN : Number(count) * units[unit as keyof typeof units]
  if ((typeof value === 'number' || typeof value === 'string') && bytes <= sizeMax) return bytes
  throw wrong(field, 'is a number of bytes up to 1GiB, such as 4096 or "64KiB"')
}

interface Bounds {
  readonly least: number
  readonly most: number
  readonly otherwise: number
}

function whole(fields: Fields, name: string, { least, most, otherwise }: Bounds): number {
  const value = fields[name] ?? otherwise
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
  throw wrong(name, `is a whole number from ${least} to ${most}`)
}

function numberOf(fields: Fields, name: string, least: number, most: number): number {
  const value = fields[name]
  if (typeof value === 'number' && value >= least && value <= most) return value
  throw wrong(name, `is a number from ${least} to ${most}`)
}

function oneOf<T extends string>(fields: Fields, name: string, choices: readonly [T, ...T[]]): T {
  const value = fields[name] ?? choices[0]
  const found = choices.find((choice) => choice === value)
  if (found === undefined) throw wrong(name, `is ${choices.join(' or ')}`)
  return found
}

const isWeight = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value) && value > 0
