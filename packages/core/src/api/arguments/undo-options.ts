/** Checks the arguments of an undo. */
import { boolean, literal, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { array, object, optional } from '../../schema/structures.ts'
import type { UndoRequest } from '../types/index.ts'
import { moment, signal } from './common.ts'
import { partedFields } from './parted-fields.ts'
import { eventFilterFields, withFilter } from './event-filter-fields.ts'

const fields = withFilter(
  object<UndoRequest>({
    ...eventFilterFields,
    requestIds: optional(array(text())),
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
    const { by, requestId, requestIds, from } = request
    if (requestIds?.length === 0) throw new Mismatch('must not be empty', ['requestIds'])
    if ([by, requestId, requestIds, from].every((limit) => limit === undefined))
      throw new Mismatch('needs by, requestId, requestIds or from')
    return request
  },
  accepts: (value) => fields.accepts(value),
}
