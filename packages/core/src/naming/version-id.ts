/**
 * Version and upload ids contain the position of their event, encoded so that ids sort like positions.
 *
 * An id has a letter for the kind and 12 digits of base 32, most significant first. A row is found from its id without
 * an index, and a listing can resume at a version that is gone. The letter keeps XML readers that guess types from
 * reading an id as a number. A version id ends in 3 check digits, which detect a mistyped id. An upload id ends in 24
 * digits of a MAC, which cannot be guessed.
 */
import { StorageError } from '../base/errors.ts'
import { text } from '../schema/scalars.ts'
import { checked as checkedArgument } from '../schema/schema.ts'
import type { Seq } from '../ports/index.ts'
import type { VersionRef } from '../commands/command.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const positionDigits = 12
const versionForm = /^v[0-9a-hjkmnp-tv-z]{15}$/
const uploadForm = /^u[0-9a-hjkmnp-tv-z]{36}$/
/** The number of bytes of a MAC in an upload id: 15 bytes fill 24 digits exactly. */
export const uploadMacBytes = 15

/** The id of the null version, which was added while versioning was not enabled. */
export const nullVersionId = 'null'

/** The version id that clients see: `null`, or an id made from the position of the version's event. */
export const versionId = (version: { readonly seq: Seq; readonly nullVersion: boolean }): string =>
  version.nullVersion ? nullVersionId : `v${checked(digitsOf(version.seq))}`

/**
 * The version that a client's version id stands for.
 * @throws StorageError `InvalidArgument` for an id that this store cannot have made.
 */
export function parseVersionId(id: string): VersionRef {
  if (id === nullVersionId) return null
  checkedArgument('versionId', text(), id)
  const digits = id.slice(1, 1 + positionDigits)
  const seq = versionForm.test(id) && `v${checked(digits)}` === id ? positionOf(digits) : undefined
  if (seq === undefined) {
    throw new StorageError('InvalidArgument', 'Invalid version id specified', {
      details: { ArgumentName: 'versionId', ArgumentValue: id },
    })
  }
  return seq
}

/** `mac`: 15 bytes. */
export function uploadId(upload: Seq, mac: Uint8Array): string {
  let digits = ''
  for (let i = 0; i < mac.length; i += 5) {
    const [a, b, c, d, e] = mac.subarray(i, i + 5) as unknown as readonly [number, number, number, number, number]
    digits += twenty((a << 12) | (b << 4) | (c >> 4)) + twenty(((c & 15) << 16) | (d << 8) | e)
  }
  return publicUploadId(upload) + digits
}

/** The part of an upload id that is not secret. */
export const publicUploadId = (upload: Seq): string => `u${digitsOf(upload)}`

/** The position in an upload id, without a check of its MAC; `undefined` for a malformed id. */
export const parseUploadId = (id: string): Seq | undefined =>
  typeof id === 'string' && uploadForm.test(id) ? positionOf(id.slice(1, 1 + positionDigits)) : undefined

/** All pairs of digits in order. The table makes ids fast, because listings make one for every row. */
const pairs = Array.from({ length: 1024 }, (_, i) => alphabet.charAt(i >> 5) + alphabet.charAt(i & 31))

/** Encodes twenty bits. */
const twenty = (bits: number): string => `${pairs[bits >> 10]}${pairs[bits & 1023]}`

function digitsOf(seq: Seq): string {
  let digits = ''
  for (let rest = seq; digits.length < positionDigits; rest = Math.floor(rest / 1024))
    digits = pairs[rest % 1024] + digits
  return digits
}

function positionOf(digits: string): Seq | undefined {
  let seq = 0
  for (const digit of digits) seq = seq * 32 + alphabet.indexOf(digit)
  return Number.isSafeInteger(seq) && seq > 0 ? seq : undefined
}

/** Appends the check digits: FNV-1a of the word `version` and the digits, cut to 15 bits. */
function checked(digits: string): string {
  const text = `version${digits}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  const bits = (hash ^ (hash >>> 15)) & 0x7fff
  return digits + alphabet.charAt(bits >> 10) + alphabet.charAt((bits >> 5) & 31) + alphabet.charAt(bits & 31)
}
