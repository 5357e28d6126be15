/** Checks the arguments of erasures. */
import { listener } from '../../schema/listener.ts'
import { boolean, integer, literal, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { array, either, object, optional } from '../../schema/structures.ts'
import type { EraseRequest } from '../types/index.ts'
import { name, signal } from './common.ts'

/** Which uploads are erased. */
export const erasedUploads = either<NonNullable<EraseRequest['uploads']>>(
  "a boolean, 'only', or upload ids",
  boolean,
  literal('only'),
  array(text()),
)

const fields = object<EraseRequest>({
  bucket: name,
  key: optional(name),
  prefix: optional(name),
  versions: optional(array(either<string | number>('a version id or a position', text(), integer({ min: 1 })))),
  live: optional(boolean),
  uploads: optional(erasedUploads),
  dryRun: optional(boolean),
  receipt: optional(boolean),
  onProgress: optional(listener()),
  ...signal,
})

export const eraseRequest: Schema<EraseRequest> = {
  read(value) {
    const request = fields.read(value)
    if ((request.key === undefined) === (request.prefix === undefined)) throw new Mismatch('needs a key or a prefix')
    if (request.versions !== undefined && request.key === undefined) throw new Mismatch('has versions without a key')
    if (typeof request.uploads === 'object' && request.key === undefined)
      throw new Mismatch('has upload ids without a key')
    if (request.versions !== undefined && request.uploads === 'only')
      throw new Mismatch('has versions beside uploads alone')
    return request
  },
  accepts: (value) => fields.accepts(value),
}
