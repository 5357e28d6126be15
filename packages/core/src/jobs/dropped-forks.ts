/**
 * Removes the versions that dropped forks left, a few in each commit, so that other commands can commit in between. The
 * views list these forks, so the work continues after a crash when the store is opened again.
 */
import type { Engine } from '../engine/engine.ts'
import type { CommandMeta, CommandShapes } from '../commands/command.ts'
import { firstRows } from '../reads/row-walk.ts'
import { droppedTable } from '../views/fork-tables.ts'
import type { BucketRow, Past } from '../views/rows.ts'
import { versionTable } from '../views/tables.ts'
import type { VersionRow } from '../views/version-row.ts'

/** The number of versions in one commit: small, so that other commands wait only briefly. */
const groupSize = 50

interface Group {
  readonly data: CommandShapes['ClearDroppedFork']
  /** The key at which the next group begins. */
  readonly end: Uint8Array
}

export async function clearDroppedForks(engine: Engine, metaOf: () => CommandMeta): Promise<void> {
  for (let group = await nextGroup(engine); group !== undefined; group = await nextGroup(engine, group)) {
    await engine.writer.submit({ type: 'ClearDroppedFork', data: group.data, meta: metaOf() })
    await engine.turns.pass()
  }
}

/** Continues after the previous group, because a database is slow to skip deleted rows. */
async function nextGroup(engine: Engine, before?: Group): Promise<Group | undefined> {
  if (engine.state !== 'open') return undefined
  const { hashing } = engine.ports
  return engine.withSnapshot(async (rows) => {
    const [fork] = await firstRows<Past<BucketRow>>(rows, hashing, droppedTable.range, 1)
    if (fork === undefined) return undefined
    const [bucket, dropped] = [droppedTable.name(fork.key), fork.row.until]
    const all = versionTable.range(bucket, '')
    const range = before?.data.dropped === dropped ? { ...all, gte: before.end } : all
    // Reading one more than the group size shows whether this group is the last.
    const found = await firstRows<VersionRow>(rows, hashing, range, groupSize + 1)
    const versions = found
      .slice(0, groupSize)
      .map(({ key, row }) => ({ key: versionTable.objectKey(key), version: row.seq }))
    const data = { bucket, dropped, versions, last: found.length <= groupSize }
    return { data, end: found[groupSize]?.key ?? all.lt }
  })
}
