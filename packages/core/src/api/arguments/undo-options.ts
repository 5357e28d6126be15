/** Checks the arguments of an undo. */
import { boolean, literal } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { object, optional } from '../../schema/structures.ts'
import type { UndoRequest } from '../types/index.ts'
import { moment, signal } from './common.ts'
import { partedFields } from './parted-fields.ts'
import { eventFilterFields, withFilter } from './event-filter-fields.ts'

const fields = withFilter(
  object<UndoRequest>({
    ...eventFilterFields,
    from: optional(moment),
    to: optional(moment),
    dryRun: optional(boolean),
    onConflict: optional(literal('fail', 'skip', 'force')),
    ...partedFields,
    ...signal,
  }),
)

/** Without a limit, the whole store would be undone. */
export const undoRequest: Schema<UndoRequest> = {
  read(value) {
    const request = fields.read(value)
    const { by, requestId, from } = request
    if (by === undefined && requestId === undefined && from === undefined)
      throw new Mismatch('needs by, requestId or from')
    return request
  },
  accepts: (value) => fields.accepts(value),
}
