/**
 * Bugs to plant: one changed line of the store each, the kind of line that a tired engineer writes. The simulator must
 * find every one of them. A bug that survives means that the simulator is blind, not that the store is sound. `find`
 * must be in `file` exactly once, so a bug that no longer fits the code is noticed.
 */
import type { Errno } from './world.ts'

export interface PlantedBug {
  readonly name: string
  readonly patches: readonly { readonly file: string; readonly find: string; readonly replace: string }[]
  /** Some bugs do no harm until an effect fails. */
  readonly faults?: { readonly operation: string; readonly errno: Errno }
  /** The scenarios in which it can show. */
  readonly scenarios: readonly string[]
}

const blobFile = 'packages/adapters/src/blobs/write-blob-file.ts'
const shardDirectories = 'packages/adapters/src/blobs/shard-directories.ts'
const durableFiles = 'packages/adapters/src/files/durable-files.ts'
const commitWriter = 'packages/core/src/engine/commit-writer.ts'
const requests = 'packages/core/src/requests/request-engine.ts'
const sweeper = 'packages/core/src/jobs/sweeper.ts'
const tasks = 'packages/core/src/tasks/commit-parts.ts'

const patch = (file: string, find: string, replace: string) => [{ file, find, replace }]

export const plantedBugs: readonly PlantedBug[] = [
  {
    name: 'a blob is named before its bytes are synced',
    patches: patch(blobFile, '      await file.sync()\n', ''),
    scenarios: ['put'],
  },
  {
    name: 'the name of a blob is not synced',
    patches: patch(blobFile, '    await syncShard(writer, id)\n', ''),
    scenarios: ['put'],
  },
  {
    name: 'an fsync that failed is tried again',
    patches: patch(blobFile, 'await file.sync()', 'await file.sync().catch(() => file.sync())'),
    faults: { operation: 'fsync', errno: 'EIO' },
    scenarios: ['put'],
  },
  {
    name: 'a directory whose sync failed is trusted',
    patches: patch(blobFile, '    onDirectoryFailure(error)\n    throw error\n', ''),
    faults: { operation: 'fsyncdir', errno: 'EIO' },
    scenarios: ['put'],
  },
  {
    name: 'the directory of the first blob in it is not synced',
    patches: patch(shardDirectories, '      await settle()\n', ''),
    scenarios: ['put'],
  },
  {
    name: 'a commit is not synced',
    patches: patch(
      'packages/adapters/src/level-journal/level-journal.ts',
      'batch.write({ sync })',
      'batch.write({ sync: false })',
    ),
    scenarios: ['put'],
  },
  {
    name: 'the answer does not wait for the commit',
    patches: patch(commitWriter, 'await (held ?? journal).commit({', 'void (held ?? journal).commit({'),
    scenarios: ['put'],
  },
  {
    name: 'commits go on after one failed',
    patches: [
      { file: 'packages/adapters/src/journal-kit/journal-gate.ts', find: 'failure ??= { cause }', replace: '' },
      { file: 'packages/adapters/src/level-journal/level-log.ts', find: 'this.failure = cause', replace: '' },
      {
        file: commitWriter,
        find: 'undefined ? error : this.fail(error)',
        replace: "undefined ? error : new StorageError('StoreFailed', String(error))",
      },
    ],
    faults: { operation: 'append', errno: 'ENOSPC' },
    scenarios: ['put', 'overwrite'],
  },
  {
    name: 'listeners and witness hear of a commit before it is durable',
    patches: [
      {
        file: commitWriter,
        find: '      await (held ?? journal).commit({',
        replace: '      known.publish(recordings.map(({ event }) => event))\n      await (held ?? journal).commit({',
      },
    ],
    scenarios: ['put', 'overwrite'],
  },
  {
    name: 'rows follow their events in a commit of their own',
    patches: patch(
      commitWriter,
      '        rows: changes,\n      })',
      '        rows: [],\n      })\n      await journal.commit({ expectedHead: recorder.end.seq, events: [], rows: changes })',
    ),
    scenarios: ['put'],
  },
  {
    name: 'a data key follows its event in a commit of its own',
    patches: patch(
      commitWriter,
      '        rows: changes,\n      })',
      `        rows: changes.filter(({ key }) => key[0] !== 0x81),
      })
    const keys = changes.filter(({ key }) => key[0] === 0x81)
    if (keys.length > 0) await journal.commit({ expectedHead: recorder.end.seq, events: [], rows: keys })`,
    ),
    scenarios: ['sealed'],
  },
  {
    name: 'the sweep erases bytes and leaves their data key',
    patches: patch(
      'packages/core/src/views/project-erasure.ts',
      '  if (content.sealed !== undefined) rows.delete(new RowKey(dataKeyTable.key(id)))\n',
      '',
    ),
    scenarios: ['sealed', 'sealed-parts'],
  },
  {
    name: 'a commit leaves hot rows as they were',
    patches: patch(commitWriter, 'hot.commitStarts(changes)', 'hot.commitStarts([])'),
    scenarios: ['overwrite'],
  },
  {
    name: 'a commit counts as settled before it can be seen',
    patches: patch(
      commitWriter,
      'const commit = hot.commitStarts(changes)\n',
      'const commit = hot.commitStarts(changes)\n    hot.commitSettled(commit)\n',
    ),
    scenarios: ['overwrite', 'read'],
  },
  {
    name: 'commands of one group do not see each other',
    patches: patch(
      'packages/core/src/views/row-transaction.ts',
      '    if (change !== undefined) return { row: change.row ?? undefined }\n',
      '',
    ),
    scenarios: ['conditional', 'overwrite'],
  },
  {
    name: 'bytes are deleted though it is unknown whether a commit named them',
    patches: patch(requests, '!written.isSettled && this.owner.failure === undefined', '!written.isSettled'),
    faults: { operation: 'syncrows', errno: 'EIO' },
    scenarios: ['put'],
  },
  {
    name: 'the sweep takes blobs whose commit is still to come',
    patches: patch('packages/core/src/jobs/orphans.ts', '!(await inFlight.has(id)) && ', ''),
    scenarios: ['put', 'overwrite'],
  },
  {
    name: 'the sweep erases what a reader is looking at',
    patches: patch(sweeper, 'Math.min(reads.oldest, writer.committed)', 'writer.committed'),
    scenarios: ['read'],
  },
  {
    name: 'the sweep goes on while the outcome of a commit is unknown',
    patches: [
      {
        file: 'packages/core/src/engine/engine.ts',
        find: 'return this.closed || this.writer.failure !== undefined',
        replace: 'return this.closed',
      },
      {
        file: requests,
        find: 'if (isRefused) await this.#discard(written).catch(() => undefined)',
        replace: 'if (isRefused) await this.#discard(written).catch(() => undefined)\n      this.#settle(written)',
      },
    ],
    faults: { operation: 'syncrows', errno: 'EIO' },
    scenarios: ['fail'],
  },
  {
    name: 'the null version is not found once there are others',
    patches: patch('packages/core/src/views/project-version.ts', '    () => pointAtNull(rows, event),\n', ''),
    scenarios: ['suspended'],
  },
  {
    name: 'what a copy shares goes with its source',
    patches: patch(
      'packages/core/src/views/project-version.ts',
      '    () => (isCopy(event) ? shareCopied(rows, event) : undefined),\n',
      '',
    ),
    scenarios: ['copy'],
  },
  {
    name: 'a version that is replaced leaves its bytes behind',
    patches: patch(
      'packages/core/src/views/project-version.ts',
      'isOwn ? freeContent(rows, content, { event: by, index: 0, home, since: seq, ended }) : undefined',
      'isOwn ? undefined : undefined',
    ),
    scenarios: ['overwrite'],
  },
  {
    name: 'parts that were not used stay for ever',
    patches: patch(
      'packages/core/src/views/project-upload.ts',
      '    await freePart(rows, part, { upload, event, index: i + 1, home })\n',
      '',
    ),
    scenarios: ['complete'],
  },
  {
    name: 'small files are renamed before their bytes are synced',
    patches: patch(durableFiles, '    await write(file)\n    await file.sync()\n', '    await write(file)\n'),
    scenarios: ['put', 'reopen'],
  },
  {
    name: 'unfinished blobs of an earlier life are left in tmp',
    patches: patch(
      'packages/core/src/api/open-engine.ts',
      '    if (!readOnly && !sharing.isShared) await ports.blobs.discardUnfinished()\n',
      '',
    ),
    scenarios: ['put'],
  },
  {
    name: 'a new store is called ready before there is a log',
    patches: patch(
      'packages/adapters/src/store-directory/new-store.ts',
      "version: formatVersion, state: 'initialising', layout: name }",
      "version: formatVersion, state: 'ready', layout: name }",
    ),
    scenarios: ['create'],
  },
  {
    name: 'bytes that a restore gave back are erased as garbage all the same',
    patches: patch(
      'packages/core/src/views/contents.ts',
      '  await takeGarbage(rows, place, garbage)\n  await endInherited',
      '  await endInherited',
    ),
    scenarios: ['restore'],
  },
  {
    name: 'the retention erases what a snapshot keeps',
    patches: [
      {
        file: 'packages/core/src/views/contents.ts',
        find: 'pinOfFreed(rows, { freedBy, ...visible })',
        replace: 'pinOfFreed(rows, { home, freedBy })',
      },
      {
        file: 'packages/core/src/decide/start-erasure.ts',
        find: 'isPinned: isPinned(place, garbage, pins)',
        replace: 'isPinned: pins.length < 0 && isPinned(place, garbage, pins)',
      },
    ],
    scenarios: ['snapshot', 'snapshots'],
  },
  {
    name: 'a snapshot that goes takes with it what an older one keeps',
    patches: [
      {
        file: 'packages/core/src/jobs/unpinned-garbage.ts',
        find: 'positions.findLast((each) => each < position) ?? 0',
        replace: '0',
      },
      {
        file: 'packages/core/src/decide/release-garbage.ts',
        find: '!isPinned(place, garbage, pins)',
        replace: '(pins.length >= 0 || !isPinned(place, garbage, pins))',
      },
      {
        file: 'packages/core/src/decide/start-erasure.ts',
        find: 'isPinned: isPinned(place, garbage, pins)',
        replace: 'isPinned: pins.length < 0 && isPinned(place, garbage, pins)',
      },
    ],
    scenarios: ['snapshots'],
  },
  {
    name: 'what a deleted snapshot kept stays for ever',
    patches: patch(
      'packages/core/src/views/put-pins.ts',
      'rows.put(unpinnedTable.key({ position, of }), {})',
      'void [unpinnedTable, position, of]',
    ),
    scenarios: ['snapshot', 'snapshots'],
  },
  {
    name: 'a fork that sees later writes of its base',
    patches: patch(
      'packages/core/src/views/versions-in.ts',
      'const { bucket, position: at } = row.base',
      'const { bucket } = row.base\n  const at = Number.MAX_SAFE_INTEGER',
    ),
    scenarios: ['fork'],
  },
  {
    name: 'a fork that does not keep the bytes of its base',
    patches: patch('packages/core/src/views/project-fork.ts', 'await putForkPin(rows, seq, base)', 'void putForkPin'),
    scenarios: ['fork'],
  },
  {
    name: 'a drop that frees bytes of a fork of it',
    patches: patch(
      'packages/core/src/views/fork-pins.ts',
      'some((pin) => shows(pin, fork))',
      'some((pin) => needed.size < 0 && shows(pin, fork))',
    ),
    scenarios: ['fork-drop'],
  },
  {
    name: 'a drop that leaves the versions of the fork behind',
    patches: patch(
      'packages/core/src/jobs/dropped-forks.ts',
      '      .slice(0, groupSize)',
      '      .slice(1, groupSize)',
    ),
    scenarios: ['fork-drop'],
  },
  {
    name: 'an erasure on purpose takes what a snapshot keeps',
    patches: [
      {
        file: 'packages/core/src/erase/plan-erasure.ts',
        find: 'keeping.length > 0',
        replace: 'keeping.length > 99',
      },
      {
        file: 'packages/core/src/decide/erase-versions.ts',
        find: 'await rows.get(garbageTable.key(place))',
        replace: 'await garbageAt(rows, place)',
      },
      {
        file: 'packages/core/src/decide/erase-versions.ts',
        find: "import { isPinned, loadPins, pinOf } from '../views/pins.ts'",
        replace: "import { loadPins, pinOf } from '../views/pins.ts'\nimport { garbageAt } from '../views/garbage.ts'",
      },
      {
        file: 'packages/core/src/decide/erase-versions.ts',
        find: ' || isPinned(place, garbage, pins)',
        replace: ' || pins.length < 0',
      },
    ],
    scenarios: ['erase'],
  },
  {
    name: 'an erasure on purpose takes bytes that a copy has',
    patches: [
      {
        file: 'packages/core/src/erase/plan-erasure.ts',
        find: 'holders > removable',
        replace: 'holders > 99',
      },
      {
        file: 'packages/core/src/views/contents.ts',
        find: 'if (versions > 1) {',
        replace: 'if (versions > 99) {',
      },
      {
        file: 'packages/core/src/decide/erase-versions.ts',
        find: 'if (share !== undefined && share.freedBy === undefined) return { version, id }',
        replace: '',
      },
    ],
    scenarios: ['erase'],
  },
  {
    name: 'a restore uses bytes whose erasure has started since its plan',
    patches: [
      {
        file: 'packages/core/src/restore/restore.ts',
        find: "{ bucket, key: '', at }",
        replace: "{ bucket, key: '' }",
      },
      {
        file: 'packages/core/src/views/contents.ts',
        find: 'index: 0 })) !== undefined',
        replace: 'index: 0 })) !== null',
      },
    ],
    scenarios: ['restore'],
  },
  {
    name: 'an undo takes back bytes that were erased',
    patches: patch('packages/core/src/views/contents.ts', 'index: 0 })) !== undefined', 'index: 0 })) !== null'),
    scenarios: ['undo'],
  },
  {
    name: 'bytes that came back stay garbage',
    patches: patch(
      'packages/core/src/views/contents.ts',
      '  if (freedBy !== undefined) await useAgain(rows, { freedBy, index: 0 }, to)\n  if (share',
      '  if (share',
    ),
    scenarios: ['undo', 'undo-versions'],
  },
  {
    name: 'an undo leaves the null version without a pointer',
    patches: patch(
      'packages/core/src/views/project-restored.ts',
      'if (oldest !== undefined && oldest.seq < row.seq)',
      'if (oldest !== undefined && oldest.seq > row.seq)',
    ),
    scenarios: ['undo-null'],
  },
  {
    name: 'a task says that it is further than it is',
    patches: patch(tasks, 'const last = part.at(-1)', 'const last = this.#work.changes.at(-1)'),
    scenarios: ['parts'],
  },
  {
    name: 'a restore that goes on takes back what others wrote',
    patches: patch(
      'packages/core/src/restore/restore.ts',
      'const planned = isBack ? task.since : task.planned\n',
      'const planned = await newestPosition(engine)\n',
    ),
    scenarios: ['parts-others'],
  },
]
