/** What JSON keeps and what it loses. */
import { isPlain } from '../schema/structures.ts'

const isPrimitiveJson = (value: unknown): boolean =>
  typeof value === 'string' ||
  typeof value === 'boolean' ||
  value === null ||
  (typeof value === 'number' && Number.isFinite(value) && !Object.is(value, -0))

/** True for values that are the same after they were written as JSON and read again. Fields that are `undefined` are absent. */
export function isJson(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return isPrimitiveJson(value)
  if (Array.isArray(value)) return value.every(isJson)
  if (!isPlain(value)) return false
  for (const name of Object.keys(value)) {
    const field = (value as Readonly<Record<string, unknown>>)[name]
    if (field !== undefined && (name === 'toJSON' || !isJson(field))) return false
  }
  return true
}

/** Whether `read`, which was parsed from JSON, is what `meant` says. Fields that are `undefined` are absent. */
export function isSameJson(meant: unknown, read: unknown): boolean {
  if (typeof meant !== 'object' || meant === null) return Object.is(meant, read)
  if (typeof read !== 'object' || read === null || Array.isArray(meant) !== Array.isArray(read)) return false
  if (Array.isArray(meant)) return isSameArray(meant, read as readonly unknown[])
  if (!isPlain(meant)) return false
  let fields = 0
  for (const name of Object.keys(meant)) {
    const field = (meant as Readonly<Record<string, unknown>>)[name]
    if (field === undefined) continue
    if (!Object.hasOwn(read, name) || !isSameJson(field, (read as Readonly<Record<string, unknown>>)[name]))
      return false
    fields++
  }
  return fields === Object.keys(read).length
}

const isSameArray = (meant: readonly unknown[], read: readonly unknown[]): boolean =>
  meant.length === read.length && read.every((one, i) => isSameJson(meant[i], one))
