import { pinnedTable, unpinnedTable } from '../views/content-tables.ts'
import { isPinned, loadPins } from '../views/pins.ts'
import type { GarbageRow, Pin } from '../views/rows.ts'
import type { Rule } from './rule.ts'

interface State {
  readonly pinned: readonly (GarbageRow | undefined)[]
  readonly pins: readonly Pin[]
  /** The deleted snapshot is not settled yet. */
  readonly isOpen: boolean
}

/** Returns only garbage that no snapshot keeps. */
export const releaseGarbage: Rule<'ReleaseGarbage', State> = {
  async load(rows, { contents, settled }) {
    return {
      pinned: await Promise.all(contents.map(async (place) => rows.get(pinnedTable.key(place)))),
      pins: await loadPins(rows),
      isOpen: settled !== undefined && (await rows.get(unpinnedTable.key(settled))) !== undefined,
    }
  },

  decide({ pinned, pins, isOpen }, { contents, settled }) {
    const released = contents.filter((place, i) => {
      const garbage = pinned[i]
      return garbage !== undefined && !isPinned(place, garbage, pins)
    })
    if (released.length === 0 && !isOpen) return []
    return [{ type: 'PinsSettled', data: { pinned: [], released, ...(isOpen && settled && { settled }) } }]
  },
}
