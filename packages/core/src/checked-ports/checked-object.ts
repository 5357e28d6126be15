/** Objects of foreign code behind checks: each method is called on the object itself, and what it gives is checked. */
import { isOwnPort } from './own-ports.ts'
import { Mismatch, type Schema } from '../schema/schema.ts'
import { type Check, failureOf, judged, type Place, wrongAnswer } from './answers.ts'

/** A member of a foreign object. `property`: read anew each time. */
interface Member {
  readonly of: 'method' | 'property'
  readonly check: Check
  readonly isAsync?: boolean
}

type Optional<M> = M & { readonly isOptional: true }

/** A check for each member of `T`. A member that is left out, or is optional there and not here, does not compile. */
export type Members<T> = {
  readonly [K in keyof T & string]-?: object extends Pick<T, K> ? Optional<Member> : Member
}

/** A method that fails at once, if it fails. */
export const gives = (check: Check): Member => ({ of: 'method', check })
/** A method that gives a promise, so that it never fails at once. */
export const givesLater = (check: Check): Member => ({ of: 'method', check, isAsync: true })
export const has = (check: Check): Member => ({ of: 'property', check })
export const maybe = (member: Member): Optional<Member> => ({ ...member, isOptional: true })

type Table = Readonly<Record<string, Member & { readonly isOptional?: boolean }>>
type Method = (...given: unknown[]) => unknown

/** The object with its methods checked. @throws Mismatch if one is missing */
function checkedObject<T extends object>(expected: string, members: Members<T>, value: unknown, place: Place): T {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null)
    throw Mismatch.wrongType(expected, value)
  if (isOwnPort(value)) return value as T
  const from = value as Readonly<Record<string, unknown>>
  const to: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(members as Table)) {
    const at = { ...place, name: `${place.name}.${name}` }
    if (member.of === 'property') {
      Object.defineProperty(to, name, { enumerable: true, get: () => readProperty(from, name, member, at) })
      continue
    }
    const call =
      member.isAsync === true ? asyncMethod(from, name, member.check, at) : method(from, name, member.check, at)
    if (member.isOptional === true) {
      // A port may gain and lose it, as one that is prepared by its first use.
      if (from[name] !== undefined) assertMethod(expected, from, name)
      Object.defineProperty(to, name, { enumerable: true, get: () => (from[name] === undefined ? undefined : call) })
      continue
    }
    assertMethod(expected, from, name)
    to[name] = call
  }
  return to as T
}

function assertMethod(expected: string, from: Readonly<Record<string, unknown>>, name: string): void {
  if (typeof from[name] !== 'function') throw new Mismatch(`must be ${expected}: it has no ${name}`)
}

function readProperty(from: Readonly<Record<string, unknown>>, name: string, { check }: Member, place: Place): unknown {
  let value: unknown
  try {
    value = from[name]
  } catch (error) {
    throw failureOf(place, error)
  }
  return judged(check, value, place)
}

const method =
  (from: Readonly<Record<string, unknown>>, name: string, check: Check, place: Place): Method =>
  (...given) => {
    let value: unknown
    try {
      value = (from[name] as Method)(...given)
    } catch (error) {
      throw failureOf(place, error)
    }
    return judged(check, value, place)
  }

const asyncMethod = (from: Readonly<Record<string, unknown>>, name: string, check: Check, place: Place): Method => {
  const call = method(from, name, check, place)
  return (...given) => {
    try {
      return call(...given)
    } catch (error) {
      return Promise.reject(error as Error)
    }
  }
}

/** A check of an object that a method gives: its methods are checked in turn. */
export const objectOf =
  <T extends object>(expected: string, members: Members<T>): Check =>
  (value, place) => {
    try {
      return checkedObject(expected, members, value, place)
    } catch (error) {
      throw error instanceof Mismatch ? wrongAnswer(place, expected, value) : error
    }
  }

/** A schema for a port of this name. */
export const port = <T extends object>(expected: string, members: Members<T>, place: Place): Schema<T> => ({
  read: (value) => checkedObject(expected, members, value, place),
  accepts: () => false,
})
