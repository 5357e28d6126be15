/**
 * Version and upload ids contain the position of their event, encoded so that ids sort like positions.
 *
 * An id has a letter for the kind and 12 digits of base 32, most significant first. A row is found from its id without
 * an index, and a listing can resume at a version that is gone. The letter keeps XML readers that guess types from
 * reading an id as a number. If the event was recorded in an epoch, the 8 digits of the epoch follow, so that the id never
 * names the event of another branch of the log. A version id ends in 3 check digits, which detect a mistyped id. An upload
 * id ends in 24 digits of a MAC, which cannot be guessed.
 */
import { alphabet, digitsOfBytes, pairs } from '../bytes/base32.ts'
import { epochDigits, type EventPlace } from '../base/epoch.ts'
import { StorageError } from '../base/errors.ts'
import { text } from '../schema/scalars.ts'
import { checked as checkedArgument } from '../schema/schema.ts'
import type { Seq } from '../ports/index.ts'
import type { VersionRef } from '../commands/command.ts'

const positionDigits = 12
const placeDigits = positionDigits + epochDigits
const versionForm = /^v(?:[0-9a-hjkmnp-tv-z]{15}|[0-9a-hjkmnp-tv-z]{23})$/
const uploadForm = /^u(?:[0-9a-hjkmnp-tv-z]{36}|[0-9a-hjkmnp-tv-z]{44})$/
const checkDigits = 3
const macDigits = 24
/** The number of bytes of a MAC in an upload id: 15 bytes fill 24 digits exactly. */
export const uploadMacBytes = 15

/** The id of the null version, which was added while versioning was not enabled. */
export const nullVersionId = 'null'

/** The version id that clients see: `null`, or an id made from the place of the version's event. */
export const versionId = (version: EventPlace & { readonly nullVersion: boolean }): string =>
  version.nullVersion ? nullVersionId : `v${checked(digitsOf(version))}`

/**
 * The version that a client's version id stands for.
 * @throws StorageError `InvalidArgument` for an id that no store can have made.
 */
export function parseVersionId(id: string): VersionRef {
  if (id === nullVersionId) return null
  checkedArgument('versionId', text(), id)
  const digits = id.slice(1, -checkDigits)
  const place = versionForm.test(id) && `v${checked(digits)}` === id ? placeOf(digits) : undefined
  if (place === undefined) {
    throw new StorageError('InvalidArgument', 'Invalid version id specified', {
      details: { ArgumentName: 'versionId', ArgumentValue: id },
    })
  }
  return place
}

/** `mac`: 15 bytes. */
export function uploadId(upload: EventPlace, mac: Uint8Array): string {
  let digits = ''
  for (let i = 0; i < mac.length; i += 5) digits += digitsOfBytes(mac, i)
  return `u${digitsOf(upload)}${digits}`
}

/** The position of an upload as its id has it. The rest of the id may be a secret. */
export const publicUploadId = (upload: Seq): string => `u${digitsOfPosition(upload)}`

/** The place in an upload id, without a check of its MAC; `undefined` for a malformed id. */
export const parseUploadId = (id: string): EventPlace | undefined =>
  typeof id === 'string' && uploadForm.test(id) ? placeOf(id.slice(1, -macDigits)) : undefined

const digitsOf = ({ seq, epoch }: EventPlace): string =>
  epoch === undefined ? digitsOfPosition(seq) : digitsOfPosition(seq) + epoch

function digitsOfPosition(seq: Seq): string {
  let digits = ''
  for (let rest = seq; digits.length < positionDigits; rest = Math.floor(rest / 1024))
    digits = pairs[rest % 1024] + digits
  return digits
}

function placeOf(digits: string): EventPlace | undefined {
  let seq = 0
  for (let i = 0; i < positionDigits; i++) seq = seq * 32 + alphabet.indexOf(digits.charAt(i))
  if (!Number.isSafeInteger(seq) || seq === 0) return undefined
  return { seq, epoch: digits.length === placeDigits ? digits.slice(positionDigits) : undefined }
}

/** Appends the check digits: FNV-1a of the word `version` and the digits, cut to 15 bits. */
function checked(digits: string): string {
  const text = `version${digits}`
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  const bits = (hash ^ (hash >>> 15)) & 0x7fff
  return digits + alphabet.charAt(bits >> 10) + alphabet.charAt((bits >> 5) & 31) + alphabet.charAt(bits & 31)
}
