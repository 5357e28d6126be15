/** Checks tags of objects and of buckets. S3 has different error messages for them. */
import { StorageError } from '../base/errors.ts'
import type { Tag } from './tags.ts'

interface TagRules {
  readonly countMax: number
  /** The message for tag names that are reserved. */
  readonly reserved: string
}

const objectRules: TagRules = { countMax: 10, reserved: 'Your TagKey cannot be prefixed with aws:' }
const bucketRules: TagRules = { countMax: 50, reserved: 'System tags cannot be added/updated by requester' }

/** The maximum lengths in Unicode characters. */
const keyMax = 128
const valueMax = 256
const allowed = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u

/** @throws StorageError `InvalidTag`. */
export const checkObjectTags = (tags: readonly Tag[]): void => checkTags(tags, objectRules)

/** @throws StorageError `InvalidTag`. */
export const checkBucketTags = (tags: readonly Tag[]): void => checkTags(tags, bucketRules)

/** Tags in the order in which they are stored and returned: by key. */
export const sortedTags = (tags: readonly Tag[]): readonly Tag[] =>
  tags.map(({ key, value }) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)))

function checkTags(tags: readonly Tag[], { countMax, reserved }: TagRules): void {
  const keys = new Set<string>()
  for (const { key, value } of tags) {
    if (keys.has(key)) throw invalid('Cannot provide multiple Tags with the same key', { TagKey: key })
    keys.add(key)
    if (key === '' || !fits(key, keyMax)) throw invalid('The TagKey you have provided is invalid', { TagKey: key })
    if (isReserved(key)) throw invalid(reserved, { TagKey: key })
    if (!fits(value, valueMax)) {
      throw invalid('The TagValue you have provided is invalid', { TagKey: key, TagValue: value })
    }
  }
  if (tags.length > countMax) throw invalid(`There can be no more than ${countMax} tags.`, {})
}

/** AWS reserves the prefix in any case. */
const isReserved = (key: string): boolean => /^aws:/i.test(key)

/** A tag that no object can have. @throws StorageError `InvalidTag` */
export function checkTagKeys(tags: readonly Pick<Tag, 'key'>[]): void {
  const reserved = tags.find(({ key }) => isReserved(key))
  if (reserved !== undefined) throw invalid(objectRules.reserved, { TagKey: reserved.key })
}

/** Counts the characters only if the text may be too long. */
function fits(text: string, max: number): boolean {
  if (text.length > 2 * max || (text.length > max && Array.from(text).length > max)) return false
  return allowed.test(text)
}

const invalid = (message: string, details: Readonly<Record<string, string>>): StorageError =>
  new StorageError('InvalidTag', message, { details })
