/** Checks how the caller of a restore, an undo or a merge divides it. */
import { listener } from '../../schema/listener.ts'
import { boolean, integer } from '../../schema/scalars.ts'
import { type FieldsOf, optional } from '../../schema/structures.ts'
import type { Parted } from '../types/index.ts'
import { changesMax } from '../../tasks/part-size.ts'

export const partSize = integer({ min: 1, max: changesMax })

export const partedFields: FieldsOf<Parted> = {
  inParts: optional(boolean),
  partSize: optional(partSize),
  onProgress: optional(listener<NonNullable<Parted['onProgress']>>()),
}
