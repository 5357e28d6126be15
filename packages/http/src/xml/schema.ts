/**
 * Describes the accepted content of a body as data: `object({ Key: text(), Size: optional(integer({ min: 0, max: 10 }))
 * })`. Reading is an allow-list: results have the names of the schema and no others. TypeScript infers their type.
 */

import { malformed } from './malformed.ts'
import type { XmlElement } from './xml-element.ts'

/** The content that one element may have. */
export interface Content<T> {
  readonly read: (element: XmlElement) => T
  /** The most elements of each name inside, at any depth. */
  readonly countMax: ReadonlyMap<string, number>
  /** Whether elements of other names can be inside too. */
  readonly open: boolean
}

/** Exactly one element. */
export interface One<T> extends Content<T> {
  readonly kind: 'one'
}

/** One element or none. Without one, the property is absent. */
export interface Optional<T> extends Content<T> {
  readonly kind: 'optional'
}

/** Any number of elements within bounds, in document order. An array even when there are none. */
export interface List<T> extends Content<T> {
  readonly kind: 'list'
  readonly min: number
  readonly max: number
}

export type Field<T = unknown> = One<T> | Optional<T> | List<T>
export type Fields = Readonly<Record<string, Field>>

type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends Optional<unknown> ? K : never }[keyof F]
type ValueOf<F> = F extends List<infer T> ? readonly T[] : F extends One<infer T> | Optional<infer T> ? T : never

/** The type of the value that these fields read. */
export type Read<F extends Fields> = { readonly [K in Exclude<keyof F, OptionalNames<F>>]: ValueOf<F[K]> } & {
  readonly [K in OptionalNames<F>]?: ValueOf<F[K]>
}

/** The type of the value that a schema reads. */
export type Infer<S extends One<unknown>> = ValueOf<S>

const whitespace = /^[ \t\r\n]*$/
const digits = /^(?:0|[1-9][0-9]{0,15})$/

/** Text as sent, of at most `max` UTF-16 units (default 8192: room for any key, ETag or checksum). */
export function text({ max = 8192 }: { readonly max?: number } = {}): One<string> {
  return leaf((value, { name }) => {
    if (value.length > max) throw malformed(`${name} is longer than ${max} characters`)
    return value
  })
}

/** Digits only: no sign, space, fraction, exponent or leading zero. Both bounds are inclusive. */
export function integer({ min, max }: { readonly min: number; readonly max: number }): One<number> {
  return leaf((value, { name }) => {
    const number = digits.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max)) throw malformed(`${name} must be an integer from ${min} to ${max}`)
    return number
  })
}

/** Digits, with a minus for negative numbers: from -`max` to `max`. */
export function signedInteger(max: number): One<number> {
  const positive = integer({ min: 0, max })
  return leaf((value, element) => {
    const isNegative = value.startsWith('-')
    const size = positive.read(isNegative ? { ...element, text: value.slice(1) } : element)
    return isNegative ? -size : size
  })
}

/** One of the words, in exactly this spelling. */
export function oneOf<const W extends string>(...words: readonly W[]): One<W> {
  return leaf((value, { name }) => {
    const word = words.find((candidate) => candidate === value)
    if (word === undefined) throw malformed(`${name} must be ${words.join(' or ')}`)
    return word
  })
}

/** `true` or `false`. */
export function boolean(): One<boolean> {
  const word = oneOf('true', 'false')
  return { ...word, read: (element) => word.read(element) === 'true' }
}

export function optional<T>(field: One<T>): Optional<T> {
  return { ...field, kind: 'optional' }
}

export function list<T>(field: One<T>, { min = 0, max }: { readonly min?: number; readonly max: number }): List<T> {
  return { ...field, kind: 'list', min, max }
}

/** Adds the value of `xsi:type`, for elements that have several shapes. */
export function withType<T>(content: One<T>): One<{ readonly type: string | undefined; readonly value: T }> {
  return { ...content, read: (element) => ({ type: element.type, value: content.read(element) }) }
}

/** Skips the content. The value only shows that the element is present. */
export function opaque(): One<true> {
  return { kind: 'one', read: () => true, countMax: new Map(), open: true }
}

/**
 * An element that contains elements. Names outside `fields` are refused, or skipped with their contents when `unknown`
 * is `'ignore'`.
 * @throws MalformedXML (when read) for unknown, repeated, missing or too many elements, and for text between them
 */
export function object<F extends Fields>(
  fields: F,
  { unknown = 'refuse' }: { readonly unknown?: 'refuse' | 'ignore' } = {},
): One<Read<F>> {
  const byName = new Map<string, Field>(Object.entries(fields))
  const read = (element: XmlElement) => {
    if (!whitespace.test(element.text)) throw malformed(`${element.name} holds text`)
    const result: Record<string, unknown> = {}
    for (const child of element.children) {
      const field = byName.get(child.name)
      if (field !== undefined) add(result, child, field)
      else if (unknown === 'refuse') throw malformed(`${element.name} has an element it cannot have`)
    }
    for (const [name, field] of byName) settle(result, name, field)
    return result as Read<F>
  }
  const open = unknown === 'ignore' || Object.values(fields).some((field) => field.open)
  return { kind: 'one', read, countMax: census(byName), open }
}

function census(fields: ReadonlyMap<string, Field>): ReadonlyMap<string, number> {
  const total = new Map<string, number>()
  for (const [name, field] of fields) {
    const times = field.kind === 'list' ? field.max : 1
    total.set(name, (total.get(name) ?? 0) + times)
    for (const [inner, count] of field.countMax) total.set(inner, (total.get(inner) ?? 0) + times * count)
  }
  return total
}

function add(result: Record<string, unknown>, child: XmlElement, field: Field): void {
  const { name } = child
  if (field.kind !== 'list') {
    if (Object.hasOwn(result, name)) throw malformed(`too many ${name} elements`)
    result[name] = field.read(child)
    return
  }
  const values = (Object.hasOwn(result, name) ? result[name] : (result[name] = [])) as unknown[]
  if (values.length >= field.max) throw malformed(`too many ${name} elements`)
  values.push(field.read(child))
}

function settle(result: Record<string, unknown>, name: string, field: Field): void {
  const isThere = Object.hasOwn(result, name)
  if (field.kind === 'one' && !isThere) throw malformed(`${name} is missing`)
  if (field.kind !== 'list') return
  if (!isThere) result[name] = []
  if ((result[name] as unknown[]).length < field.min) throw malformed(`too few ${name} elements`)
}

function leaf<T>(read: (value: string, element: XmlElement) => T): One<T> {
  return {
    kind: 'one',
    countMax: new Map(),
    open: false,
    read(element) {
      if (element.children.length > 0) throw malformed(`${element.name} holds elements`)
      return read(element.text, element)
    },
  }
}
