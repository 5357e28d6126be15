import type { GarbageRow } from '../views/rows.ts'
import { garbageTable } from '../views/content-tables.ts'
import type { Rule } from './rule.ts'

/** Starts only the erasure of contents that still wait for it. */
export const startErasure: Rule<'StartErasure', readonly (GarbageRow | undefined)[]> = {
  load: (rows, { contents }) => Promise.all(contents.map((place) => rows.get(garbageTable.key(place)))),

  decide(waiting, { contents }) {
    const still = contents.filter((_, i) => waiting[i] !== undefined)
    return still.length === 0 ? [] : [{ type: 'ErasureStarted', data: { contents: still } }]
  },
}
