/** Reads keys from a file or the environment. Messages name the place of an error, and never quote a key. */
import { StorageError } from '@varve/core'

/** Keys as base64 of 32 bytes each. The first of several wraps; the others only unwrap what they wrapped. */
export interface KeyMaterial {
  /** Keys for objects that are encrypted with keys of the store. */
  readonly master: readonly string[]
  /** Keys by the names that clients use. */
  readonly keys: Readonly<Record<string, readonly string[]>>
}

/** The variable that is read. */
const masterKeyVariable = 'VARVE_MASTER_KEY'

const keysMax = 1000
const nameShape = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,2048}$/u
/** 32 bytes are 43 characters and a `=`. In the last character, two bits must be 0. */
const keyShape = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/

/**
 * JSON of the shape `{"master": ["…"], "keys": {"name": "…"}}`; both may be left out, and each key may be a list of keys.
 * @throws StorageError `InvalidArgument`
 */
export function parseKeyMaterial(json: unknown, place: string): KeyMaterial {
  if (!isObject(json)) throw invalid(place, 'must be an object')
  for (const field of Object.keys(json)) {
    if (field !== 'master' && field !== 'keys') throw invalid(place, 'has an unknown field; known are master, keys')
  }
  const { master = [], keys = {} } = json
  if (!isObject(keys)) throw invalid(`${place}.keys`, 'must be an object')
  const named = Object.entries(keys).map(([name, value], i) => {
    if (!nameShape.test(name)) throw invalid(`${place}.keys`, `has a name that cannot be one: the ${i + 1}. of them`)
    const list = keysOf(value, `${place}.keys[${i}]`)
    if (list.length === 0) throw invalid(`${place}.keys[${i}]`, 'must not be empty')
    return [name, list] as const
  })
  return { master: keysOf(master, `${place}.master`), keys: Object.fromEntries(named) }
}

/**
 * The master keys in an environment, separated by commas. An empty variable counts as unset. @throws as
 * `parseKeyMaterial`
 */
export function keysFromEnvironment(env: Readonly<Record<string, string | undefined>>): KeyMaterial {
  const text = env[masterKeyVariable] ?? ''
  return { master: text === '' ? [] : keysOf(text.split(','), masterKeyVariable), keys: {} }
}

/** Joins keys. The first one wraps. @throws StorageError `InvalidArgument` when two arguments share a name */
export function combineKeys(...all: readonly KeyMaterial[]): KeyMaterial {
  const keys: Record<string, readonly string[]> = {}
  for (const material of all) {
    for (const [name, list] of Object.entries(material.keys)) {
      if (Object.hasOwn(keys, name)) throw invalid('The keyring', 'has two keys of one name')
      keys[name] = list
    }
  }
  return { master: [...new Set(all.flatMap(({ master }) => master))], keys }
}

export const isEmpty = ({ master, keys }: KeyMaterial): boolean => master.length === 0 && Object.keys(keys).length === 0

function keysOf(value: unknown, place: string): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? plainCopy(value) : [value]
  if (list.length > keysMax) throw invalid(place, `must not have more than ${keysMax} keys`)
  const keys = list.map((key, i) => {
    if (typeof key === 'string' && keyShape.test(key)) return key
    throw invalid(list.length === 1 ? place : `${place}[${i}]`, 'must be 32 bytes in base64: 44 characters')
  })
  if (new Set(keys).size < keys.length) throw invalid(place, 'has one key twice')
  return keys
}

/** Copies at most the allowed number of items and one more. An array of a caller may have its own `map`. */
const plainCopy = (values: readonly unknown[]): unknown[] =>
  Array.from({ length: Math.min(values.length, keysMax + 1) }, (_, place) => values[place])

/** Whether the value is a plain object: accessors of a class instance would be missed. */
function isObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const invalid = (place: string, rule: string): StorageError =>
  new StorageError('InvalidArgument', `${place} ${rule}.`, { details: { place } })
