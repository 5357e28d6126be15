import type { GarbageRow } from '../views/rows.ts'
import { garbageTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

/** Records only contents that still wait for erasure; those already recorded as erased are left out. */
export const eraseContents: Rule<'EraseContents', readonly (GarbageRow | undefined)[]> = {
  load: (rows, { erased }) =>
    Promise.all(erased.map(({ freedBy, index }) => rows.get(garbageTable.key(freedBy, index)))),

  decide(waiting, { erased }) {
    const still = erased.filter((_, i) => waiting[i] !== undefined)
    return still.length === 0 ? [] : [{ type: 'ContentsErased', data: { erased: still } }]
  },
}
