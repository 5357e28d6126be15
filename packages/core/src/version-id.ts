/**
 * Version and upload ids: the position of the event that made them, spelled so that ids sort as positions do.
 *
 * A letter for the kind, 12 digits of base 32 (most significant first) and 3 of check, so no index leads from id to row, a
 * listing can resume at a version that is gone, and an id that this store did not make is told from one that it did. The
 * letter keeps readers of XML that guess types from taking an id for a number.
 */
import { StorageError } from './errors.ts'
import type { Seq } from './ports/index.ts'
import type { VersionRef } from './commands/command.ts'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'
const positionDigits = 12
const form = /^[uv][0-9a-hjkmnp-tv-z]{15}$/
const letters = { version: 'v', upload: 'u' } as const

type IdKind = 'version' | 'upload'

/** The literal id of the null version: added while versioning was never set or suspended. */
export const nullVersionId = 'null'

export const versionId = (version: { readonly seq: Seq; readonly nullVersion: boolean }): string =>
  version.nullVersion ? nullVersionId : encodeId('version', version.seq)

/**
 * What a client's version id names.
 * @throws StorageError `InvalidArgument` for an id this store cannot have made.
 */
export function parseVersionId(id: string): VersionRef {
  if (id === nullVersionId) return null
  const seq = decodeId('version', id)
  if (seq === undefined) {
    throw new StorageError('InvalidArgument', 'Invalid version id specified', {
      details: { ArgumentName: 'versionId', ArgumentValue: id },
    })
  }
  return seq
}

export const uploadId = (upload: Seq): string => encodeId('upload', upload)

/** `undefined` for an id this store cannot have made. */
export const parseUploadId = (id: string): Seq | undefined => decodeId('upload', id)

/** All pairs of digits in order: listings spell an id for every row. */
const pairs = Array.from({ length: 1024 }, (_, i) => alphabet.charAt(i >> 5) + alphabet.charAt(i & 31))

function encodeId(kind: IdKind, seq: Seq): string {
  let digits = ''
  for (let rest = seq; digits.length < positionDigits; rest = Math.floor(rest / 1024))
    digits = pairs[rest % 1024] + digits
  return letters[kind] + digits + check(kind, digits)
}

function decodeId(kind: IdKind, id: string): Seq | undefined {
  if (!form.test(id) || !id.startsWith(letters[kind])) return undefined
  const digits = id.slice(1, 1 + positionDigits)
  if (check(kind, digits) !== id.slice(1 + positionDigits)) return undefined
  let seq = 0
  for (const digit of digits) seq = seq * 32 + alphabet.indexOf(digit)
  return Number.isSafeInteger(seq) && seq > 0 ? seq : undefined
}

/** FNV-1a over kind and digits, cut to 15 bits. */
function check(kind: IdKind, digits: string): string {
  const text = kind + digits
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  const bits = (hash ^ (hash >>> 15)) & 0x7fff
  return alphabet.charAt(bits >> 10) + alphabet.charAt((bits >> 5) & 31) + alphabet.charAt(bits & 31)
}
