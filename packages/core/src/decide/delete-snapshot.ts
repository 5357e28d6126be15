import { noSuchSnapshot } from '../moments/snapshot-name.ts'
import type { SnapshotRow } from '../views/rows.ts'
import { snapshotTable } from '../views/tables.ts'
import type { Rule } from './rule.ts'

/** @throws `NoSuchSnapshot` */
export const deleteSnapshot: Rule<'DeleteSnapshot', SnapshotRow | undefined> = {
  load: (rows, { name }) => rows.get(snapshotTable.key(name)),

  decide(snapshot, { name }) {
    if (snapshot === undefined) throw noSuchSnapshot(name)
    return [{ type: 'SnapshotDeleted', data: { name } }]
  },
}
