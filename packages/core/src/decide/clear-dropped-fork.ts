import type { CommandShapes } from '../commands/command.ts'
import type { Event } from '../events/index.ts'
import { droppedTable } from '../views/fork-tables.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { versionTable } from '../views/tables.ts'
import type { VersionRow } from '../views/version-row.ts'
import type { Rule } from './rule.ts'

type Place = CommandShapes['ClearDroppedFork']['versions'][number]

interface State {
  readonly dropped: Past<BucketRow> | undefined
  /** The versions of the command that still exist. */
  readonly versions: readonly (Place & { readonly row: VersionRow })[]
}

/** Removes the versions that a dropped fork left. No event for versions that are already gone. */
export const clearDroppedFork: Rule<'ClearDroppedFork', State> = {
  async load(rows, { bucket, versions }) {
    const dropped = await rows.get(droppedTable.key(bucket))
    const found: (Place & { readonly row: VersionRow })[] = []
    for (const place of dropped === undefined ? [] : versions) {
      const row = await rows.get(versionTable.key(bucket, place.key, place.version))
      if (row !== undefined) found.push({ ...place, row })
    }
    return { dropped, versions: found }
  },

  decide({ dropped, versions }, { bucket, dropped: position, last }) {
    if (dropped?.until !== position) return []
    const removals = versions.map(
      ({ key, version, row: { deleteMarker } }): Event => ({
        type: 'VersionRemoved',
        data: { bucket, key, version, deleteMarker },
      }),
    )
    return last ? [...removals, { type: 'ForkCleared', data: { bucket, dropped: position } }] : removals
  },
}
