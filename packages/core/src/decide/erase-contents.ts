import type { GarbageRow } from '../views/rows.ts'
import { erasingTable } from '../views/content-tables.ts'
import type { Rule } from './rule.ts'

/** Records only contents whose erasure has started and is not recorded yet. */
export const eraseContents: Rule<'EraseContents', readonly (GarbageRow | undefined)[]> = {
  load: (rows, { erased }) => Promise.all(erased.map(async (place) => rows.get(erasingTable.key(place)))),

  decide(started, { erased }) {
    const still = erased.filter((_, i) => started[i] !== undefined)
    return still.length === 0 ? [] : [{ type: 'ContentsErased', data: { erased: still } }]
  },
}
