/**
 * Compares values with their JSON form. Walks use `for…in`, because arrays of property names cost more than the walk.
 */
import { isPlain } from './structures.ts'

type Fields = Readonly<Record<string, unknown>>

/** Whether `read`, which was parsed from JSON, equals `meant`. Fields that are `undefined` are absent. */
export function isSameJson(meant: unknown, read: unknown): boolean {
  if (typeof meant !== 'object' || meant === null) return Object.is(meant, read)
  if (typeof read !== 'object' || read === null || Array.isArray(meant) !== Array.isArray(read)) return false
  if (Array.isArray(meant)) return isSameArray(meant, read as readonly unknown[])
  return isPlain(meant) && hasSameFields(meant as Fields, read as Fields)
}

const isSameArray = (meant: readonly unknown[], read: readonly unknown[]): boolean =>
  meant.length === read.length && read.every((one, i) => isSameJson(meant[i], one))

function hasSameFields(meant: Fields, read: Fields): boolean {
  let more = 0
  for (const name in meant) {
    const field = meant[name]
    if (field === undefined) continue
    if (!isSameJson(field, read[name])) return false
    more++
  }
  for (const name in read) if (read[name] !== undefined) more--
  return more === 0
}
