/** Small records as one line of JSON with a checksum: people can read them, and damage is detected. */
import { crc32 } from 'node:zlib'

export type SealedFields = Readonly<Record<string, unknown>>

export function sealJson(fields: SealedFields): string {
  const crc = crc32(JSON.stringify(fields)).toString(16).padStart(8, '0')
  return `${JSON.stringify({ ...fields, crc })}\n`
}

/** The fields, or `undefined` unless the text is exactly what `sealJson` writes. */
export function unsealJson(text: string): SealedFields | undefined {
  const record = parseObject(text)
  if (record === undefined) return undefined
  const { crc: _, ...fields } = record
  return sealJson(fields) === text ? fields : undefined
}

/** The fields of any JSON object, sealed or not: they show which release wrote it. */
export function parseObject(text: string): SealedFields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}
